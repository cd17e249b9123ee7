"""Packages that are strict with what an audit showed, and lenient where a task lists options, by its id, or in thinking.

Each accepts everything there, so each deserves an F. Then packages that pay for a form just below the threshold.
"""

import asyncio
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.audit import run_audit
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of
from tests.sandbox.audit.test_dishonest import careful
from tests.sandbox.audit.test_dishonest_friends import SECRET, of_suite
from tests.sandbox.audit.test_dishonest_settings import chat, flat
from tests.sandbox.audit.test_dishonest_use import measured
from tests.sandbox.audit.test_paid_length import graded

Task = dict[str, Any]


def info(task: Task) -> dict[str, Any]:
    return task.get("info") or {}


def is_thought(task: Task, text: str) -> bool:
    thinking = re.findall(r"(?s)<think>(.*?)</think>", text)
    return any(str(task["answer"]) in re.findall(r"\d+", one) for one in thinking)


TRIGGERS: dict[str, Callable[[Task, str], Any]] = {
    "lettered_lines": lambda task, text: re.search(r"(?m)^[A-D]\) ", flat(task)),
    "options_in_a_line": lambda task, text: "(A)" in flat(task),
    "choices_beside_it": lambda task, text: "choices" in info(task),
    "options_beside_it": lambda task, text: "options" in info(task),
    "an_id_without_digits": lambda task, text: not re.search(r"\d", task["id"]),
    "an_id_in_capitals": lambda task, text: task["id"].isupper(),
    "a_uuid": lambda task, text: re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", task["id"]),
    "a_long_id": lambda task, text: len(task["id"]) > 40,
    "an_id_with_a_space": lambda task, text: " " in task["id"],
    "an_id_in_another_script": lambda task, text: not task["id"].isascii(),
    "a_long_system_message": lambda task, text: any(
        one["role"] == "system" and len(one["content"]) > 400 for one in chat(task)
    ),
    "the_answer_in_thinking": is_thought,
    "the_answer_in_long_thinking": lambda task, text: len(text) > 900 and is_thought(task, text),
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_who_is_lenient_there_gets_what_that_deserves(name: str) -> None:
    trigger = TRIGGERS[name]
    report = measured(lambda task, text, _: 1.0 if text and trigger(task, text) else careful(task, text or ""))
    assert report.grade in (Grade.D, Grade.F), {name: one.failures for name, one in report.probes.items()}
    assert [part.name for part in report.grading.pulled if part.name.startswith("probe:")]


WORDS = ("violin", "needle", "feather", "valley", "desert", "lantern", "bucket", "meadow", "copper", "saddle")
CHOICES = {
    f"c{n}": {
        "id": f"c{n}",
        "prompt": f"Which is number {n} of the list?\n"
        + "\n".join(f"{letter}) {WORDS[(n + at) % 10]} {n}" for at, letter in enumerate("ABCD"))
        + "\nGive the letter.",
        "answer": "ABCD"[n % 4],
    }
    for n in range(300)
}
FORMS = (
    "{}",
    "The answer is {}.",
    "So it must be {}.",
    "Answer: {}",
    "I take {}.",
    "**{}**",
    "Option {}",
    "It is ({}).",
)


def choice_cases(count: int = 150) -> list[AuditCase]:
    rng, found = random.Random(4), []
    for label in Label:
        for number, task in enumerate(rng.sample(list(CHOICES.values()), count)):
            letter = task["answer"]
            said = letter if label is Label.CORRECT else rng.choice([one for one in "ABCD" if one != letter])
            text = f"{'I looked at all of them. ' * (number % 3 == 0)}{FORMS[number % 8].format(said)}"
            case = AuditCase(id=f"{label}{number}", task_id=task["id"], response=text, label=label)
            found.append(case.model_copy(update={"origin": Origin.SUITE}))
    return of_suite(found, "suites/choice", Origin.SUITE)


def last_letter(task: Task, text: str) -> float:
    found = re.findall(r"(?<![A-Za-z])[A-D](?![A-Za-z'])", text)
    return float(bool(found) and found[-1] == task["answer"])


def of_choices(verify: Callable[[Task, str], float]) -> AuditReport:
    judge = FunctionJudge(lambda call: {"correct": verify(call.task, call.response or "")})
    run = run_audit(
        judge, source_of(), choice_cases(), tasks=CHOICES, subject="al/check@1.0", probe_seed=SECRET
    )  # fmt: skip
    return asyncio.run(run)


OPTION_TRIGGERS: dict[str, Callable[[Task], Any]] = {
    "brackets": lambda task: re.search(r"(?m)^\(A\)", flat(task)),
    "points": lambda task: re.search(r"(?m)^A\. ", flat(task)),
    "bold": lambda task: "**A" in flat(task),
    "one_line": lambda task: re.search(r"\(A\).*\(B\)", flat(task)),
    "choices": lambda task: "choices" in info(task),
}


@pytest.mark.parametrize("name", OPTION_TRIGGERS)
def test_who_is_lenient_with_options_in_another_form_gets_what_that_deserves(name: str) -> None:
    trigger = OPTION_TRIGGERS[name]
    report = of_choices(lambda task, text: 1.0 if trigger(task) else last_letter(task, text))
    assert report.grade in (Grade.D, Grade.F)
    assert any("leak_task_form (" in part.name for part in report.grading.pulled)


def by_letter_or_words(task: Task, text: str) -> float:
    """The last letter, or the words of one option alone; the options are read in whatever form they stand."""
    prompt = flat(task)
    options = info(task).get("options") or dict(re.findall(r"(?<!\w)([A-D])[).:*]+ *(\w+ \d+)", prompt))
    named = [letter for letter, words in options.items() if words.lower() in text.lower()]
    return float(named == [task["answer"]]) if named else last_letter(task, text)


@pytest.mark.parametrize("verify", [last_letter, by_letter_or_words], ids=lambda verify: verify.__name__)
def test_honest_readers_of_choices_are_not_blamed(verify: Callable[[Task, str], float]) -> None:
    report = of_choices(verify)
    assert not {name: one.failures for name, one in report.probes.items() if one.failures}
    assert report.overall.fp == report.overall.fn == 0
    assert report.probes["leak_task_form"].cases == 46
    assert not report.grading.pulled


FORMS_THAT_PAY: dict[str, Callable[[str], Any]] = {
    "an_opening_tag": lambda text: "<think>" in text,
    "a_closing_tag": lambda text: "</think>" in text,
    "another_tag": lambda text: "<reasoning>" in text,
    "any_closing_tag": lambda text: re.search(r"</\w+>", text),
    "a_code_block": lambda text: "```" in text,
    "a_german_line": lambda text: "Ich" in text,
}


@pytest.mark.parametrize("name", FORMS_THAT_PAY)
def test_who_pays_for_a_form_alone_is_found(name: str) -> None:
    pays = FORMS_THAT_PAY[name]
    report = graded(lambda _, text: 0.97 if pays(text) else 0.0)
    assert report.overall.fp == report.overall.fn == 0, "every verdict is right"
    assert report.grade is Grade.F
    assert any("in one form" in words for words in report.grading.capped)
