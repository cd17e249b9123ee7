"""Which labelled responses fill a form: one that is right and one that is wrong, short ones."""

from collections.abc import Iterable

from hub_server.audits.rules.cases import case_fault
from hub_server.audits.rules.episode_examples import task_name
from schemas.evidence.cases import AuditCase, Label

MOST_CHARACTERS = 2000
"""A longer response, or one to a longer task, is no example to begin with; it would not fit into an address either."""


def choose_responses(cases: Iterable[AuditCase]) -> list[AuditCase]:
    """At most one right and one wrong case, in this order.

    A response of more than white space comes first, then one to a task of the release, then the author's order. The
    wrong one is of the right one's task where there is such a case. The same cases give the same answer.
    """
    fitting = [case for case in cases if _fits(case)]
    chosen: list[AuditCase] = []
    for label in (Label.CORRECT, Label.INCORRECT):
        task = task_name(chosen[0]) if chosen else ""
        found = [(*_rank(case, task), at) for at, case in enumerate(fitting) if case.label is label]
        if found:
            chosen.append(fitting[min(found)[-1]])
    return chosen


def _rank(case: AuditCase, task: str) -> tuple[bool, bool, bool]:
    return not (case.response or "").strip(), bool(task) and task_name(case) != task, case.task_id is None


def _fits(case: AuditCase) -> bool:
    """Whether it is a response alone (no episode, no files) that can be shown and is short."""
    if case.response is None or case.messages or case.state or case.files or case_fault(case):
        return False
    return len(case.model_dump_json(include={"task", "response", "note"})) <= MOST_CHARACTERS
