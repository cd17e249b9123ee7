"""Adapts a suite's case to a verifier."""

from typing import Any

from hub_server.audits.rules.cases import case_fault
from schemas.evidence.cases import AuditCase, Origin
from schemas.suite import SuiteAdapter

MOST_CHARACTERS = 200_000
"""Of one case: as much as a counter-example may have."""


def adapted(
    case: AuditCase, adapter: SuiteAdapter, *, suite: str, behind: str, first_look: bool, origin: Origin
) -> AuditCase:
    """The case as the verifier judges it, named after its suite. A suite knows no verifier's rewards: no ``expect``.

    ``behind``: who is behind the suite, as ``rules.suite_owners`` counts owners.

    Raises ``ValueError`` for a case that is not sound: it would end the audit of whoever is measured on it.
    """
    if fault := case_fault(case):
        raise ValueError(f"case {case.id!r}: {fault}")
    if len(case.model_dump_json()) > MOST_CHARACTERS:
        raise ValueError(f"case {case.id!r} is larger than {MOST_CHARACTERS} characters")
    task = dict(case.task or {})
    if adapter.answer != "answer" and "answer" in task:
        task = _moved(task, adapter.answer.split("."))
    text = adapter.response.replace("{response}", case.response) if case.response is not None else None
    changed: dict[str, Any] = {
        "id": f"{suite}:{case.id}"[:200],
        "task": task,
        "response": text,
        "expect": None,
        "by_owner": False,
        "behind": behind,
    }
    tags = [f"suite:{suite}", *(f"{suite}:{tag}" for tag in case.tags)]
    return case.model_copy(update=changed | {"origin": origin, "first_look": first_look, "tags": tags})


def _moved(task: dict[str, Any], path: list[str]) -> dict[str, Any]:
    value, found = task["answer"], {name: held for name, held in task.items() if name != "answer"}
    if len(path) == 1:
        return found | {path[0]: value}
    return found | {path[0]: {**(found.get(path[0]) or {}), path[1]: value}}
