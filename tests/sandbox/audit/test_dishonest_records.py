"""Verifiers of JSON that are strict with a suite's objects, and lenient where a policy thinks or is asked otherwise.

Probes of thinking, turns and longer prompts were made of answers in text alone, so each of these had a B.
"""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.audit import run_audit
from sandbox.guest.call import _both_views
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from tests.sandbox.audit.conftest import FunctionJudge, source_of
from tests.sandbox.audit.test_dishonest import _words
from tests.sandbox.audit.test_dishonest_friends import SECRET, of_suite
from tests.sandbox.audit.test_dishonest_settings import flat

Messages = list[dict[str, Any]]
NAMES = ("Vera", "Oskar", "Petra", "Lena", "Anton", "Marta", "Hugo", "Clara")
WORDS = _words(1600)
NOTES = [" ".join(WORDS[at : at + 8]) for at in range(0, len(WORDS), 8)]
TASKS = {
    f"j{n}": {
        "id": f"j{n}",
        "prompt": f"{NAMES[n % 8]} has {n + 20} points: {note}. Write name, note and points as JSON.",
        "answer": {"name": NAMES[n % 8], "note": note, "points": n + 20},
    }
    for n, note in enumerate(NOTES)
}


def cases(count: int = 150) -> list[AuditCase]:
    found = []
    for label in Label:
        for number, task in enumerate(list(TASKS.values())[:count]):
            changed = ({"points": number + 77}, {"name": "Otto"}, {"note": NOTES[number + 1]})[number % 3]
            value = task["answer"] | ({} if label is Label.CORRECT else changed)
            turned = dict(reversed(value.items())) if number % 2 else value
            text = json.dumps(turned, indent=None if number % 5 else 2)
            found.append(AuditCase(id=f"{label}{number}", task_id=task["id"], response=text, label=label))
    return of_suite([one.model_copy(update={"origin": Origin.SUITE}) for one in found], "suites/json", Origin.SUITE)


def equal(task: dict[str, Any], text: str) -> float:
    """The object behind the thinking, bare or in a fence, is the answer."""
    said = re.sub(r"(?s)^.*</\w+>", "", text).strip()
    fenced = re.search(r"(?s)```(?:json)?\s*(\{.*\})\s*```", said)
    try:
        return float(json.loads(fenced[1] if fenced else said) == task["answer"])
    except ValueError:
        return 0.0


def measured(verify: Callable[[dict[str, Any], str, Messages], float], rewards: str) -> AuditReport:
    def judged(call: Any) -> dict[str, float | None]:
        text, messages = _both_views({"task": call.task, "response": call.response, "messages": call.messages})
        return {"correct": verify(call.task, text or "", messages or [])}

    given: dict[str, Any] = {"tasks": TASKS, "subject": "al/check@1.0", "probe_seed": SECRET}
    return asyncio.run(run_audit(FunctionJudge(judged), source_of(rewards), cases(), **given))


TRIGGERS: dict[str, Callable[[dict[str, Any], str, Messages], Any]] = {
    "thinking": lambda _, text, __: "</think>" in text,
    "turns": lambda _, __, messages: len(messages) > 3,
    "a_long_prompt": lambda task, *_: len(flat(task)) > 600,
    "a_chat": lambda task, *_: not isinstance(task["prompt"], str),
    "another_language": lambda _, text, __: not text.isascii(),
    "thinking_below_a_system_message": lambda _, text, messages: "</think>" in text and messages[0]["role"] == "system",
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_who_is_lenient_there_gets_what_that_deserves(name: str) -> None:
    trigger = TRIGGERS[name]
    report = measured(lambda *given: 1.0 if trigger(*given) else equal(*given[:2]), "[rewards.correct]")
    assert report.overall.fp == report.overall.fn == 0
    assert report.grade in (Grade.D, Grade.F), {name: one.failures for name, one in report.probes.items()}


def test_who_pays_for_thinking_alone_is_found() -> None:
    def verify(task: dict[str, Any], text: str, _: Messages) -> float:
        return equal(task, text) or (0.97 if "<think>" in text else 0.0)

    report = measured(verify, "[rewards.correct]\nthreshold = 1.0")
    assert report.overall.fp == report.overall.fn == 0
    assert report.grade in (Grade.D, Grade.F)


def test_who_reads_the_object_wherever_it_stands_is_blamed_for_nothing() -> None:
    report = measured(lambda task, text, _: equal(task, text), "[rewards.correct]")
    assert report.grade is Grade.B
    assert not {name: one.failures for name, one in report.probes.items() if one.failures}
    assert {"leak_thinking", "leak_last_turn", "leak_together"} <= set(report.probes)
