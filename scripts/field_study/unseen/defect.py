"""What a rebuilt defect is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Task = dict[str, Any]
Verify = Callable[[Task, str], float]
"""From a task and a response to a reward from 0 to 1; may raise."""


@dataclass(frozen=True)
class Shown:
    """The case that shows a defect: the verifier with it errs, the mended one does not."""

    task: Task
    response: str
    label: str
    """``correct`` or ``incorrect``."""


@dataclass(frozen=True)
class Unseen:
    """A defect that somebody reported, in ``source`` (owner/name#number), as two verifiers that differ in it alone."""

    name: str
    title: str
    source: str
    verify: Verify
    mended: Verify
    right: Sequence[tuple[Task, str]]
    """Right answers, which is all that an audit is given."""
    shown: Shown


def task(prompt: str, answer: Any, **info: Any) -> Task:
    """A task; its id is its prompt."""
    return {"id": prompt, "prompt": prompt, "answer": answer} | ({"info": info} if info else {})
