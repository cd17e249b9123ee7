"""Which labelled episodes show what an environment is: one that is right and one that is wrong, short ones."""

import json
from collections.abc import Iterable
from typing import Any

from schemas.evidence.cases import AuditCase, Label
from schemas.task import canonical_json

MOST_CHARACTERS = 6000
"""A longer episode is no example for a page."""
_HELD_OUT = ("test", "eval", "bench", "held", "hold", "hidden", "private")
_FEW_ACTS = 2


def is_held_out(split: str) -> bool:
    """Whether models are compared on the split: ``test``, ``test_hard``, ``easy-test``, ``evaluation``, ``bench``."""
    return any(part.startswith(_HELD_OUT) for part in split.lower().replace("-", "_").split("_"))


def choose_episodes(cases: Iterable[AuditCase]) -> list[AuditCase]:
    """At most one right and one wrong case, in this order: the shortest in which the model acts more than once.

    A case with messages comes before one with an end state alone. The wrong one is of the right one's task where there
    is such a case. The same cases in the same order give the same answer.
    """
    fitting = [(size, case) for case in cases if (size := _size_of(case)) is not None]
    chosen: list[AuditCase] = []
    for label in (Label.CORRECT, Label.INCORRECT):
        task = task_name(chosen[0]) if chosen else ""
        found = [(*_rank(case, task), size, at) for at, (size, case) in enumerate(fitting) if case.label is label]
        if found:
            chosen.append(fitting[min(found)[-1]][1])
    return chosen


def task_name(case: AuditCase) -> str:
    """The id of a case's task; empty where it has none."""
    return case.task_id or str((case.task or {}).get("id", ""))


def _rank(case: AuditCase, task: str) -> tuple[bool, bool, bool]:
    return not case.messages, _acts_of(case) < _FEW_ACTS, bool(task) and task_name(case) != task


def _acts_of(case: AuditCase) -> int:
    """How often the model acts: its messages, or the longest list of the end state."""
    if case.messages:
        return sum(1 for message in case.messages if message.get("role") == "assistant")
    return max((len(value) for value in (case.state or {}).values() if isinstance(value, list)), default=0)


def _size_of(case: AuditCase) -> int | None:
    """Characters that a page would show; None for what is no episode or too long."""
    shown: Any = case.messages or case.state
    if not shown:
        return None
    try:
        size = len(json.dumps(shown, ensure_ascii=False)) + len(case.note)
        canonical_json([shown, case.note, case.expect])  # NaN and halves of surrogate pairs cannot be shown
    except (ValueError, RecursionError):
        return None
    return size if size <= MOST_CHARACTERS else None
