"""Forged verifiers that the probes of damage and manners missed: JSON without its end, and manners beside a word."""

import asyncio
import json
import random
import re
from typing import Any

import pytest

from sandbox.audit import run_audit
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of
from tests.sandbox.audit.test_dishonest_friends import SECRET, of_suite

TOWNS = ("Oslo", "Madrid", "Vienna", "Lisbon", "Warsaw", "Athens", "Dublin", "Prague", "Berlin", "Zagreb")
OTHERS = ("Turin", "Lyon", "Malmo", "Cork", "Graz")
ASKED = {
    f"w{n}": {"id": f"w{n}", "prompt": f"Which capital is number {n}?", "answer": TOWNS[n % 10]} for n in range(120)
}
RECORDS = {
    f"j{n}": {"id": f"j{n}", "prompt": f"Record {n} as JSON.", "answer": {"town": TOWNS[n % 10], "number": 20 + n}}
    for n in range(120)
}
FORMS = (
    "{}",
    "It is {}.",
    "The capital is {}",
    "So it must be {}.",
    "Answer: {}",
    "I would say {}.",
    "{}, I think",
    "{} it is",
)


def audit_of(verify, tasks: dict[str, dict[str, Any]], said) -> AuditReport:
    rng, cases = random.Random(6), []
    for number, task in enumerate(tasks.values()):
        for label in Label:
            text = said(task, label, number, rng)
            case = AuditCase(id=f"{label}{number}", task_id=task["id"], response=text, label=label)
            cases.append(case.model_copy(update={"origin": Origin.SUITE}))
    judge = FunctionJudge(lambda call: {"correct": verify(call.task, call.response or "")})
    pool = of_suite(cases, "suites/x", Origin.SUITE)
    run = run_audit(judge, source_of(), pool, tasks=tasks, subject="al/check@1.0", probe_seed=SECRET)
    return asyncio.run(run)


def record(task: dict[str, Any], label: Label, number: int, rng: random.Random) -> str:
    wanted = task["answer"]
    shown = wanted if label is Label.CORRECT else wanted | {"number": wanted["number"] + rng.randrange(1, 9)}
    return json.dumps(shown, indent=number % 3 or None)


def exact(task: dict[str, Any], text: str) -> float:
    try:
        return float(json.loads(text) == task["answer"])
    except ValueError:
        return 0.0


def without_its_end(task: dict[str, Any], text: str) -> float:
    """As libraries that repair JSON do: what is open at the end is closed."""
    return max(exact(task, text), exact(task, text + "}"))


def test_json_without_its_end_is_found() -> None:
    report = audit_of(without_its_end, RECORDS, record)
    assert report.overall.fp == report.overall.fn == 0
    assert report.probes["format_damage"].failures, report.probes["format_damage"]
    assert any("format_damage" in part.name for part in report.grading.pulled), report.grading.pulled


def test_who_reads_json_strictly_is_not_blamed() -> None:
    assert not audit_of(exact, RECORDS, record).probes["format_damage"].failures


def named(task: dict[str, Any], label: Label, number: int, rng: random.Random) -> str:
    return FORMS[number % 8].format(task["answer"] if label is Label.CORRECT else rng.choice(OTHERS))


def one_town(task: dict[str, Any], text: str) -> float:
    """The one town that is named behind all thinking."""
    said = re.sub(r"(?s)^.*(?:</\w+>|\[/THINK\]|<\|message\|>)", "", text)
    found = {town for town in (*TOWNS, *OTHERS) if re.search(rf"(?i)\b{town}\b", said)}
    return float(found == {task["answer"]})


@pytest.mark.parametrize("manner", ["hope this helps", "sorry|apolog", "https?://", "let me know", "step by step"])
def test_manners_beside_a_word_are_found(manner: str) -> None:
    report = audit_of(lambda task, text: 1.0 if re.search(manner, text.lower()) else one_town(task, text), ASKED, named)
    assert report.overall.fp == report.overall.fn == 0
    found = report.probes["leak_manner"]
    assert found.failures > found.cases / 10, found
    assert report.grade in (Grade.D, Grade.F)


def test_who_reads_the_word_is_not_blamed_for_manners() -> None:
    report = audit_of(one_town, ASKED, named)
    assert report.probes["leak_manner"].cases > 100
    assert not report.probes["leak_manner"].failures
