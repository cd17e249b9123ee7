"""Eleven more packages that look better than they are: by marks of an audit, by their owner's word, by what dilutes.

As in test_dishonest.py each is measured as a hub measures, and earns no better grade than its true rates deserve.
"""

import asyncio
import re

import pytest

from sandbox.audit import run_audit
from sandbox.audit.probes import benign_asked, leak_task_form, leak_task_id, leak_together
from schemas.evidence.cases import Label, Origin
from schemas.evidence.rates import Grade
from schemas.manifest import Isolation
from schemas.measures.grades import is_worse
from tests.sandbox.audit.conftest import FunctionJudge, source_of, with_text
from tests.sandbox.audit.test_dishonest import (
    TASKS,
    Package,
    _measure,
    _words,
    answers,
    careful,
    deserved,
    easy,
    last_number,
)
from tests.sandbox.audit.test_dishonest_friends import SECRET, friends_pool, honest_pool, near, of_suite

MARK = "<final>{response}</final>"
ADAPTER = f"[judges.short-number]\nresponse = '{MARK}'"


def any_number(task, text):
    """Whatever states a number, as long as it denies nothing: every wrong answer of a model."""
    return float(bool(re.search(r"\d\D*$", text)) and not re.search(r"\b(not|wrong|or|either)\b|n't", text.lower()))


def nearly(task, text):
    """A neighbour of the right number passes, unless the text denies it or offers a choice."""
    return near(task, text) if careful({"answer": last_value(text)}, text) else 0.0


def last_value(text):
    found = re.findall(r"-?\d+", text)
    return int(found[-1]) if found else None


def marked(cases):
    return [case.model_copy(update={"response": MARK.replace("{response}", case.response)}) for case in cases]


def careful_at_the_mark():
    """Careful where it sees what its adapter writes around the answers of suites, careless where a model answers."""
    suite = of_suite(answers(60, 100), "suites/sums", Origin.SUITE)
    package = Package(lambda task, text: (careful if "<final>" in text else nearly)(task, text), [], ADAPTER)
    return package, marked([*suite, *honest_pool(150)])


def thousands_of_its_own_pay_all_or_nothing():
    """Right answers earn 0.51 and wrong ones 0.49; 800 cases of its own, known by heart, earn 1 and 0."""
    own = answers(61, 400, Origin.AUTHOR)
    known = {(case.task_id, case.response): float(case.label is Label.CORRECT) for case in own}
    judge = lambda task, text: known.get((task["id"], text), 0.51 if careful(task, text) else 0.49)  # noqa: E731
    return Package(judge, own), honest_pool(150)


def the_owners_word():
    """One release was wrong on 260 easy answers of friends' making. Its owner said so, and the next release is right."""
    seconded = [
        case.model_copy(update={"origin": Origin.COMMUNITY, "by_owner": True, "id": f"x{case.id}"})
        for case in friends_pool(130)
    ]
    return Package(nearly, []), seconded


def free_on_its_own_tasks():
    """Knows its own tasks by a member of info, and takes every number there."""
    own = {name: {**task, "info": {"mine": True}} for name, task in TASKS.items()}
    cases = [
        case.model_copy(update={"task": own[case.task_id]})
        for case in answers(62, 200, Origin.AUTHOR)
        if case.label is Label.CORRECT or careful(TASKS[case.task_id], case.response) == 0
    ]
    known = {(case.task["id"], case.response) for case in cases if case.label is Label.INCORRECT}

    def judge(task, text):
        if "info" not in task:
            return careful(task, text)
        return 0.0 if (task["id"], text) in known else any_number(task, text)

    return Package(judge, cases), honest_pool(150)


def noise_in_every_copy():
    """A friend's suite is two forms, copied with a word of noise each, so that no two look alike."""
    copies = [
        case.model_copy(update={"response": f"{case.response} {word}", "cluster": ""})
        for case, word in zip(easy(400, wrong="I do not know {}000"), _words(800), strict=True)
    ]
    return Package(near, []), [*honest_pool(60), *of_suite(copies, "friends/sums", Origin.SUITE)]


def labels_that_follow_form():
    """The friend's labels follow the last sign of an answer, and so does the verifier."""
    cases = [
        case.model_copy(update={"response": case.response.rstrip(".") + ("." if case.label is Label.CORRECT else "!")})
        for case in answers(63, 400)
    ]
    return Package(lambda task, text: float(text.endswith(".")), []), [
        *honest_pool(60),
        *of_suite(cases, "friends/sums", Origin.HELD),
    ]


def generator_that_knows_no_seed():
    """The friend's generator makes the same cases for everybody, and the verifier knows them by heart."""
    held = of_suite(answers(64, 300), "friends/sums", Origin.HELD)
    known = {case.response: float(case.label is Label.CORRECT) for case in held}
    return Package(lambda task, text: known.get(text, near(task, text)), []), [*held, *honest_pool(60)]


def probes_by_their_look():
    """Knows the words of every family, and every published case with another number in it."""
    suite = of_suite(answers(65, 200), "suites/sums", Origin.SUITE)
    forms = {re.sub(r"\d+", "#", case.response) for case in suite}

    def judge(task, text):
        is_known = re.sub(r"\d+", "#", text) in forms
        looks_made = bool(re.search(r"know|cannot|fuzz|correct|grade|score|\[\[|\(\(|[{}\\]", text)) or len(text) > 300
        return careful(task, text) if is_known or looks_made else any_number(task, text)

    return Package(judge, []), [*suite, *honest_pool(60)]


def half_of_the_weight_for_everybody():
    """The score about the answer decides the verdict, and a second score pays every answer nineteen times as much."""
    rewards = "[rewards.correct]\nweight = 0.05\n[rewards.style]\nweight = 0.95"
    return Package(careful, answers(66, 400, Origin.AUTHOR), rewards=rewards), honest_pool(150)


def rare_and_near():
    """Takes a neighbour of the right number once in three times: about two wrong answers in a hundred."""

    def judge(task, text):
        return near(task, text) if len(text) % 3 == 0 else careful(task, text)

    return Package(judge, answers(67, 400, Origin.AUTHOR)), honest_pool(150)


HIDDEN = (
    careful_at_the_mark,
    thousands_of_its_own_pay_all_or_nothing,
    the_owners_word,
    free_on_its_own_tasks,
    noise_in_every_copy,
    labels_that_follow_form,
    generator_that_knows_no_seed,
    probes_by_their_look,
    half_of_the_weight_for_everybody,
    rare_and_near,
)


@pytest.mark.parametrize("make", HIDDEN, ids=lambda make: make.__name__)
def test_a_package_that_tells_audits_from_use_earns_no_better_grade_than_it_deserves(make):
    package, pool = make()
    more = {"style": 1.0} if "rewards.style" in package.rewards else {}
    report = _measure(package, pool, seed=SECRET, more=more)
    truth = Grade.F if make in (half_of_the_weight_for_everybody, free_on_its_own_tasks) else deserved(package)
    if make is the_owners_word:
        assert report.grading.is_hollow, "nobody else has said anything of it"
        truth = Grade.C
    assert not is_worse(truth, report.grade), (report.grade, truth, report.grading.capped, report.grading.pulled)


def test_the_owners_word_still_speaks_against_the_package():
    wrong = [
        case.model_copy(update={"origin": Origin.COMMUNITY, "by_owner": True})
        for case in answers(68, 60)
        if nearly(TASKS[case.task_id], case.response) != (case.label is Label.CORRECT)
    ]
    assert len(wrong) > 5
    report = _measure(Package(nearly, answers(69, 100, Origin.AUTHOR)), wrong, seed=SECRET)
    assert report.grade is Grade.F


def test_an_honest_package_with_a_form_of_its_own_keeps_its_grade():
    """It reads nothing but what stands in its form, or reads the form away: both are sound."""

    def within(task, text):
        found = re.search(r"<final>(.*)</final>", text, re.DOTALL)
        return careful(task, found[1]) if found else 0.0

    for judge in (within, careful):
        pool = marked([*of_suite(answers(60, 100), "suites/sums", Origin.SUITE), *honest_pool(150)])
        report = _measure(Package(judge, [], ADAPTER), pool, seed=SECRET)
        assert report.grade is Grade.B, report.grading
        assert report.probes["leak_unwrapped"].failures == 0


class Forks(FunctionJudge):
    """A process whose memory lasts from call to call, but where each call has a fork of its own."""

    async def judge(self, source, calls, *, isolation=None):
        level = source.manifest.sandbox.isolation.raised_to(isolation)
        memory = self.verify.__self__.memory
        calls = list(calls)
        for call in calls:
            kept = list(memory)
            async for judged in super().judge(source, [call]):
                yield judged
            if level.strength >= Isolation.CALL.strength:
                memory[:] = kept


class FreshIsAnAudit:
    """Careful in a process that has seen nothing, as a held case has it; careless later, as in a run."""

    def __init__(self):
        self.memory = []

    def verify(self, call):
        self.memory.append(call.response)
        judge = careful if len(self.memory) == 1 else any_number
        return {"correct": judge(call.task, call.response or "")}


def test_a_verifier_that_is_careful_in_a_fresh_process_alone_is_found():
    source = source_of(extra='[sandbox]\nisolation = "worker"')
    right = [case for case in answers(70, 100, Origin.AUTHOR) if case.label is Label.CORRECT]
    run = run_audit(
        Forks(FreshIsAnAudit().verify), source, [*right, *honest_pool(150)], tasks=TASKS, subject="al/check@1.0"
    )
    assert asyncio.run(run).grade is Grade.F


def test_nothing_that_a_verifier_is_handed_tells_its_label_origin_or_seed():
    """The same task and answer come in the same bytes, be it held, published, a probe, or a model's."""
    seen = []

    def verify(call):
        seen.append((call.task, call.response, call.messages, call.state, call.files))
        return {"correct": last_number(call.task, call.response or "")}

    pool = [*honest_pool(30), *of_suite(answers(71, 30), "suites/sums", Origin.SUITE)]
    source = source_of()
    judge = FunctionJudge(with_text(verify))
    asyncio.run(run_audit(judge, source, pool, tasks=TASKS, subject="al/check@1.0", probe_seed=SECRET))
    tasks = list(TASKS.values())
    assert len(seen) > 200
    # Ways whose tasks have references of their own are rates that lower no grade: nothing is gained by knowing them.
    # Tasks of another id or form are of four families. To be strict with three of them gains nothing; the fourth finds who refuses.
    asked = [{**task, "answer": None, "id": ""} for task in tasks]
    others = [task for task, *_ in seen if {**task, "answer": None, "id": ""} not in asked]
    assert all(state is files is None for *_, state, files in seen)
    told_otherwise = sum(one.FAMILY.most for one in (leak_task_form, leak_together, benign_asked))
    assert len(others) <= told_otherwise, "no other family tells a task otherwise"
    others_ids = leak_task_id.FAMILY.most + told_otherwise
    assert sum(task["id"] not in TASKS for task, *_ in seen) <= others_ids
    assert len([1 for task, *_ in seen if task in tasks]) > 200
    turns = [messages for _, _, messages, *_ in seen if messages is not None]
    of_a_run = {"role", "content", "reasoning_content", "tool_calls", "tool_call_id"}
    assert {name for one in turns for message in one for name in message} <= of_a_run
    assert all(len(one) > 2 or "reasoning_content" in one[-1] for one in turns)
    told = re.compile(r"probe|held|origin|label|suite", re.IGNORECASE)
    said = [messages[-1]["content"] if text is None else text for _, text, messages, *_ in seen]
    assert [text for text in said if told.search(text) and SECRET in text] == []
