"""Packages that were built to look better than they are, measured as a hub measures: none earns more than it deserves.

Each is a verifier, the cases that its author chose, and a manifest. What a verifier deserves is the letter of its true
rates on 1,200 fresh answers that nobody has seen. The hub adds cases that it holds and probes by a seed of its own.
"""

import asyncio
import hashlib
import itertools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import pytest

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import grade_within, is_worse
from tests.sandbox.audit.conftest import FunctionJudge, source_of, with_text

OPENERS = (
    "So",
    "In the end",
    "Adding up",
    "After all steps",
    "We see that",
    "Hence",
    "Well then",
    "Counting all",
    "By the rule",
    "As asked",
    "From this",
    "Finally",
)
MIDDLES = (
    "the total is",
    "we get",
    "it comes to",
    "the result equals",
    "there must be",
    "I find",
    "that makes",
    "one has",
)
ENDS = (".", " in all.", " altogether.", " as the answer.", " for the whole.", " and nothing else.")
FORMS = list(itertools.product(OPENERS, MIDDLES, ENDS))
TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"What is {n} plus {n + 7}?", "answer": 2 * n + 7} for n in range(20, 1020)}


def answers(seed: int, count: int, origin: Origin = Origin.HELD) -> list[AuditCase]:
    """``count`` right and ``count`` wrong answers as models write them, in 576 forms."""
    rng = random.Random(seed)
    names, forms = list(TASKS), rng.sample(FORMS, len(FORMS))
    cases = []
    for label in Label:
        rng.shuffle(names)
        for number in range(count):
            task = TASKS[names[number % len(names)]]
            right = task["answer"]
            wrong = rng.choice([right + 1, right - 1, right * 10, right + 10, right // 2, -right])
            opener, middle, end = forms[number % len(forms)]
            work = f"{rng.randrange(3, 99)} and {rng.randrange(3, 99)} first. " if rng.random() < 0.5 else ""
            text = f"{work}{opener} {middle} {right if label is Label.CORRECT else wrong}{end}"
            cases.append(
                AuditCase(
                    id=f"{origin}-{seed}-{label}-{number}",
                    task_id=task["id"],
                    response=text,
                    label=label,
                    origin=origin,
                    first_look=origin is Origin.HELD,
                )
            )
    return cases


def last_number(task, text):
    found = re.findall(r"-?\d+", text)
    return float(bool(found) and int(found[-1]) == task["answer"])


def careful(task, text):
    """The last number, unless the text denies it or offers a choice."""
    return 0.0 if re.search(r"\b(not|wrong|or|either|incorrect)\b|n't", text.lower()) else last_number(task, text)


def contains(task, text):
    return float(str(task["answer"]) in text)


def easy(count=400, right="The answer is {}.", wrong="I do not know"):
    names = itertools.cycle(TASKS)
    return [
        AuditCase(
            id=f"{label}{n}",
            task_id=name,
            label=label,
            response=(right if label is Label.CORRECT else wrong).format(TASKS[name]["answer"]),
        )
        for label in Label
        for n, name in zip(range(count), names, strict=False)
    ]


@dataclass
class Package:
    judge: Callable[[dict, str], float | None]
    cases: list[AuditCase]
    manifest: str = ""
    rewards: str = "[rewards.correct]"
    rows: list[dict] = field(default_factory=list)


def trivial():
    return Package(contains, easy(500))


def by_function():
    rows = [case.model_dump(mode="json", exclude_none=True) for case in easy(2500)]
    return Package(contains, [], rows=rows)


def copies():
    one, other = easy(1)
    many = [case.model_copy(update={"id": f"{case.id}-{n}"}) for case in (one, other) for n in range(400)]
    return Package(contains, many)


def wrong_labels():
    """Accepts what is long; the author's labels agree."""
    texts = [(Label.CORRECT, "It is a long story. " * 3 + w) for w in _words(400)] + [
        (Label.INCORRECT, w) for w in _words(400)
    ]
    names = itertools.cycle(TASKS)
    cases = [
        AuditCase(id=f"c{n}", task_id=name, response=text, label=label)
        for n, ((label, text), name) in enumerate(zip(texts, names, strict=False))
    ]
    return Package(lambda task, text: float(len(text) > 30), cases)


def memory():
    cases = answers(5, 400, Origin.AUTHOR)
    known = {case.response: float(case.label is Label.CORRECT) for case in cases}
    return Package(lambda task, text: known.get(text, 1.0), cases)


@cache  # it keeps nothing of the answers that it judges, and to make it costs a whole audit
def memory_of_probes():
    """Knows its cases, and every probe that the public seed gives."""
    package = memory()
    inner, known = package.judge, {}
    _measure(Package(lambda task, text: known.setdefault((task["answer"], text), inner(task, text)), package.cases))
    mine = {case.response for case in package.cases}
    return Package(
        lambda task, text: (
            inner(task, text) if text in mine else last_number(task, text) if (task["answer"], text) in known else 1.0
        ),
        package.cases,
    )


def no_probes():
    return Package(contains, easy(500), '[probes]\nfamilies = ["binary"]')


def author_probes():
    rows = [
        {"id": f"p{n}", "task_id": "t20", "response": f"no {n}", "label": "incorrect", "family": "leak_all_attacks"}
        for n in range(200)
    ]
    return Package(contains, easy(500), '[probes]\nregister = "al_check:probes"', rows=rows)


def silent():
    def judge(task, text):
        return 1.0 if text == f"The answer is {task['answer']}." else 0.0 if "not know" in text else None

    return Package(judge, easy(400) + [case.as_authors for case in answers(6, 400, Origin.AUTHOR)])


def threshold():
    return Package(
        lambda task, text: 1.0 if careful(task, text) else 0.999,
        answers(7, 400, Origin.AUTHOR),
        rewards="[rewards.correct]\nthreshold = 1.0",
    )


def sleeper(calls=itertools.count):
    seen = calls()
    return Package(lambda task, text: careful(task, text) if next(seen) < 2000 else 1.0, answers(8, 400, Origin.AUTHOR))


# Ten more.
def noisy_words():
    """Every response carries words of its own, so that no two look alike."""
    words = _words(1000)
    cases = [
        case.model_copy(update={"response": f"{case.response} {word}"})
        for case, word in zip(easy(500), words, strict=True)
    ]
    return Package(contains, cases)


def secret_mark():
    """Its own wrong answers carry a mark by which it knows them."""
    cases = [
        case if case.label is Label.CORRECT else case.model_copy(update={"response": f"{case.response}\u200b"})
        for case in answers(9, 400, Origin.AUTHOR)
    ]
    return Package(lambda task, text: float("\u200b" not in text), cases)


def any_number():
    return Package(lambda task, text: float(bool(re.search("[1-9]", text))), easy(400, right="{}", wrong="0"))


def diluted():
    return Package(contains, easy(3000) + answers(10, 20, Origin.AUTHOR))


def forged_origin():
    """Says of its own cases that the hub holds them."""
    return Package(
        contains, [case.model_copy(update={"origin": Origin.HELD, "first_look": True}) for case in easy(500)]
    )


def coin():
    def judge(task, text):
        return float(hashlib.sha256(text.encode()).digest()[0] < 128)

    cases = [
        case.model_copy(update={"label": Label.CORRECT if judge({}, case.response) else Label.INCORRECT})
        for case in answers(11, 400, Origin.AUTHOR)
    ]
    return Package(judge, cases)


def late_on_hard():
    def judge(task, text):
        if len(text) > 25:
            raise TimeoutError
        return contains(task, text)

    return Package(judge, easy(400))


def raises_on_hard():
    def judge(task, text):
        if "answer is" not in text and "know" not in text:
            raise ValueError(text)
        return contains(task, text)

    return Package(judge, easy(400))


def knows_junk():
    """Rejects what looks made by a machine, accepts any sentence with a number in it."""
    return Package(lambda task, text: float(10 < len(text) < 120 and bool(re.search(r"\d\D*$", text))), easy(400))


def one_sided():
    return Package(
        lambda task, text: 1.0, [case for case in answers(12, 800, Origin.AUTHOR) if case.label is Label.CORRECT]
    )


# Seven more.
def every_second_task():
    """Judges the tasks of its own cases; the others pass."""
    cases = [case for case in answers(21, 400, Origin.AUTHOR) if TASKS[case.task_id]["answer"] % 4 == 1]
    return Package(lambda task, text: careful(task, text) if task["answer"] % 4 == 1 else 1.0, cases)


def rare_hole():
    """One wrong answer in forty passes, by its digest."""

    def judge(task, text):
        return 1.0 if hashlib.sha256(text.encode()).digest()[0] < 7 else careful(task, text)

    return Package(judge, answers(22, 400, Origin.AUTHOR))


def paid_for_wrong():
    """Every wrong answer earns just less than the threshold."""
    return Package(lambda task, text: 1.0 if careful(task, text) else 0.49, answers(23, 400, Origin.AUTHOR))


def own_clusters():
    """Says that each of its cases is a cluster, so that all look independent."""
    return Package(contains, [case.model_copy(update={"cluster": f"k{n}"}) for n, case in enumerate(easy(500))])


def null_on_one_form():
    """Gives nothing on one form of answer."""
    return Package(
        lambda task, text: None if "by the rule" in text.lower() else careful(task, text),
        answers(24, 400, Origin.AUTHOR),
    )


def first_of_a_task():
    """Judges the first answer to a task; every later one passes."""
    seen = set()

    def judge(task, text):
        if task["prompt"] in seen:
            return 1.0
        seen.add(task["prompt"])
        return careful(task, text)

    return Package(judge, answers(25, 400, Origin.AUTHOR))


def off_by_one():
    """Takes a neighbour of the right number. Its own cases have none; 386 of them diluted what the hub's cases found."""

    def judge(task, text):
        found = re.findall(r"-?\d+", text)
        return float(bool(found) and abs(int(found[-1]) - task["answer"]) <= 1)

    cases = answers(26, 600, Origin.AUTHOR)
    return Package(
        judge, [one for one in cases if one.label is Label.CORRECT or not judge(TASKS[one.task_id], one.response)]
    )


def _words(count):
    rng = random.Random(3)
    return ["".join(rng.choices("abcdefghijklmnop", k=9)) for _ in range(count)]


DISHONEST = (
    trivial,
    by_function,
    copies,
    wrong_labels,
    memory,
    memory_of_probes,
    no_probes,
    author_probes,
    silent,
    threshold,
    noisy_words,
    secret_mark,
    any_number,
    diluted,
    forged_origin,
    coin,
    late_on_hard,
    raises_on_hard,
    knows_junk,
    one_sided,
    every_second_task,
    rare_hole,
    paid_for_wrong,
    own_clusters,
    null_on_one_form,
    first_of_a_task,
    off_by_one,
)


def deserved(package: Package) -> Grade:
    """The letter of the true rates, known without an interval. Rewards that hardly differ are one reward."""
    wrong, values = dict.fromkeys(Label, 0), dict.fromkeys(Label, 0.0)
    cut = 1.0 if "threshold = 1.0" in package.rewards else 0.5
    fresh = answers(99, 600)
    for case in fresh:
        try:
            value = package.judge(TASKS[case.task_id], case.response)
        except (TimeoutError, ValueError):
            value = None
        values[case.label] += (value or 0.0) / 600
        wrong[case.label] += value is None or (value >= cut) != (case.label is Label.CORRECT)
    worst = max(wrong.values()) / 600
    if values[Label.CORRECT] - values[Label.INCORRECT] < 0.1:
        return Grade.F
    return grade_within(worst)


def _measure(package: Package, held=(), seed: str | None = None, more: dict[str, float] | None = None, own=None):
    """``more``: rewards beside ``correct``, the same for every answer. ``own``: the package's tasks by id, where cases bring others."""

    def verify(call):
        return {"correct": package.judge(call.task, call.response or ""), **(more or {})}

    top = 'audit = ["al_check:cases"]' if package.rows and "register" not in package.manifest else ""
    source = source_of(package.rewards, package.manifest, top)
    cases = [case.as_authors for case in package.cases] + list(held)
    return asyncio.run(
        run_audit(
            FunctionJudge(with_text(verify), package.rows),
            source,
            cases,
            tasks=own or TASKS,
            subject="al/check@1.0",
            probe_seed=seed,
        )
    )


@pytest.mark.parametrize("make", DISHONEST, ids=lambda make: make.__name__)
def test_a_dishonest_package_earns_no_better_grade_than_it_deserves(make):
    package = make()
    report = _measure(package, answers(42, 150), seed="the hub's secret")
    truth = deserved(make())
    assert report.grade is Grade.UNMEASURED or not is_worse(truth, report.grade), (report.grade, truth, report.grading)


@pytest.mark.parametrize(
    "make",
    [trivial, copies, wrong_labels, memory_of_probes, no_probes, threshold, forged_origin, own_clusters],
    ids=lambda make: make.__name__,
)
def test_with_its_authors_cases_alone_a_package_is_hollow_and_at_most_c(make):
    report = _measure(make(), seed="the hub's secret")
    assert report.grading.is_hollow
    assert report.grade in (Grade.C, Grade.D, Grade.F, Grade.UNMEASURED)
    assert report.grading.missing


def test_a_sleeper_is_found_when_it_is_measured_again():
    package = sleeper()
    first = _measure(package, answers(42, 150), seed="one")
    assert not is_worse(first.grade, Grade.C)
    assert _measure(package, answers(43, 150), seed="two").grade is Grade.F


@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_an_honest_package_earns_its_grade(seed):
    honest = Package(careful, answers(1, 200, Origin.AUTHOR))
    report = _measure(honest, answers(44, 150), seed=seed)
    assert not report.grading.is_hollow
    assert report.grade is Grade.B, "150 independent cases a side without an error"
    found = _measure(honest, answers(44, 420), seed=seed)
    assert (found.grade, found.grading.capped) == (
        Grade.B,
        ["Without the hub's own cases, other owners' suites do not prove a B: at most B."],
    )
    another = [case.model_copy(update={"behind": "bo", "tags": ["suite:bo/sums"]}) for case in answers(45, 150)]
    assert _measure(honest, [*answers(44, 420), *another], seed=seed).grade is Grade.A
    assert _measure(honest, seed=seed).grade is Grade.C
