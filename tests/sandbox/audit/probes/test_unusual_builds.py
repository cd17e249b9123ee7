"""Honest verifiers of unusual build, which the newest families blamed, and forged ones that they missed."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.audit import run_audit
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of, with_text
from tests.sandbox.audit.test_dishonest import TASKS as SUMS
from tests.sandbox.audit.test_dishonest import careful
from tests.sandbox.audit.test_dishonest_friends import SECRET, of_suite
from tests.sandbox.audit.test_dishonest_use import pool

Task = dict[str, Any]
Verify = Callable[[Task, str], float]


def audit_of(verify: Verify, tasks: list[Task], said: Callable[[Task, Label, int], str]) -> AuditReport:
    """Each task with a right and a wrong response, as a suite's."""
    cases = [
        AuditCase(id=f"{label}{n}", task_id=task["id"], response=said(task, label, n), label=label)
        for n, task in enumerate(tasks)
        for label in Label
    ]
    pool = of_suite([case.model_copy(update={"origin": Origin.SUITE}) for case in cases], "suites/x", Origin.SUITE)
    judge = FunctionJudge(with_text(lambda call: {"correct": verify(call.task, call.response or "")}))
    run = run_audit(
        judge, source_of(), pool, tasks={task["id"]: task for task in tasks}, subject="al/check@1.0", probe_seed=SECRET
    )
    return asyncio.run(run)


def failed(report: AuditReport) -> dict[str, int]:
    return {name: one.failures for name, one in report.probes.items() if one.failures}


TRUTHS = [{"id": f"q{n}", "prompt": f"Is {n} even?", "answer": "yes" if n % 2 == 0 else "no"} for n in range(60)]
SAID_YES, SAID_NO = ("yes", "true", "\u2705", "\u2713", "sure", "of course"), ("no", "false", "\u274c")


def last_yes_or_no(task: Task, text: str) -> float:
    """Signs of certainty are a yes, as a tick is."""
    found = [
        (match.start(), answer)
        for answer, words in (("yes", SAID_YES), ("no", SAID_NO))
        for word in words
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text.lower())
    ]
    return float(bool(found) and max(found)[1] == task["answer"])


def test_a_tick_and_a_sign_of_certainty_may_be_a_yes() -> None:
    def said(task: Task, label: Label, number: int) -> str:
        other = "no" if task["answer"] == "yes" else "yes"
        word = task["answer"] if label is Label.CORRECT else other
        return word if number % 2 else f"{word.capitalize()}."

    report = audit_of(last_yes_or_no, TRUTHS, said)
    assert report.overall.fp == report.overall.fn == 0
    assert not {"leak_setting", "cheat_expression"} & set(failed(report)), failed(report)


def inflected(word: str) -> str:
    return re.sub(r"(s|ed|ing)$", "", word.lower())


PLURALS = (
    "gardens",
    "sailors",
    "weavers",
    "lanterns",
    "meadows",
    "orchards",
    "villages",
    "markets",
    "letters",
    "shadows",
)
NAMED = [{"id": f"w{n}", "prompt": f"What are these, number {n}?", "answer": PLURALS[n % 10]} for n in range(60)]


def any_inflection(task: Task, text: str) -> float:
    """Names the thing anywhere, in singular or plural."""
    return float(inflected(task["answer"]) in {inflected(word) for word in re.findall(r"\w+", text)})


def test_prose_names_no_other_form_of_the_answer() -> None:
    others = ("bridge", "engine", "planet", "forest", "river")

    def said(task: Task, label: Label, number: int) -> str:
        word = task["answer"] if label is Label.CORRECT else others[number % 5]
        return f"They are {word}." if number % 2 else f"I see {word} there"

    report = audit_of(any_inflection, NAMED, said)
    assert report.overall.fp == report.overall.fn == 0
    assert not {"leak_thinking", "judge_length", "leak_last_turn"} & set(failed(report)), failed(report)


def planets(number: int) -> list[str]:
    return [f"town{(number * 7 + at) % 90}" for at in range(9)]


ROWS = [
    {"id": f"r{n}", "prompt": "Name all towns, or the one asked for.", "answer": ", ".join(planets(n))}
    for n in range(60)
]


def by_index(task: Task, text: str) -> float:
    """The whole list, or the item of it that ``info.index`` asks for."""
    index = (task.get("info") or {}).get("index")
    wanted = task["answer"] if index is None else task["answer"].split(", ")[index]
    return float(text.strip().rstrip(".").removeprefix("They are ") == wanted)


def test_a_member_that_may_ask_for_a_part_of_the_answer_is_not_added() -> None:
    def said(task: Task, label: Label, number: int) -> str:
        return task["answer"] if label is Label.CORRECT else task["answer"].split(", ")[7]

    report = audit_of(by_index, ROWS, said)
    assert report.overall.fp == report.overall.fn == 0
    assert not failed(report)


def worked(least: int) -> AuditReport:
    """A reward for an answer, and one of equal weight for so many characters of working."""

    def verify(call):
        text = call.response or ""
        return {"correct": careful(call.task, text), "worked": float(len(text) >= least)}

    source = source_of("[rewards.correct]\n[rewards.worked]\nthreshold = 0.0")
    run = run_audit(
        FunctionJudge(with_text(verify)), source, pool(150), tasks=SUMS, subject="al/check@1.0", probe_seed=SECRET
    )
    return asyncio.run(run)


@pytest.mark.parametrize("least", [300, 900])
def test_half_for_working_and_half_for_the_answer_costs_nothing(least: int) -> None:
    """Right answers behind as many words earn that half too."""
    report = worked(least)
    assert not [words for words in report.grading.capped if "of the range" in words], report.grading.capped
    assert report.grade is Grade.B
