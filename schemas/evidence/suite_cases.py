"""A suite's case as one verifier judges it."""

from typing import Any

from schemas.evidence.cases import AuditCase
from schemas.suite import SuiteAdapter


def as_judged(case: AuditCase, adapter: SuiteAdapter, suite: str) -> AuditCase:
    """The case with its answer where the verifier looks for it and the response in the form that it wants.

    ``suite``: the suite's id, which id and tags begin with. A suite knows no verifier's rewards: no ``expect``.
    """
    task = dict(case.task or {})
    if adapter.answer != "answer" and "answer" in task:
        task = _moved(task, adapter.answer.split("."))
    text = adapter.response.replace("{response}", case.response) if case.response is not None else None
    tags = [f"suite:{suite}", *(f"{suite}:{tag}" for tag in case.tags)]
    changed: dict[str, Any] = {"id": f"{suite}:{case.id}"[:200], "task": task, "response": text, "expect": None}
    return case.model_copy(update=changed | {"tags": tags})


def _moved(task: dict[str, Any], path: list[str]) -> dict[str, Any]:
    value, found = task["answer"], {name: held for name, held in task.items() if name != "answer"}
    if len(path) == 1:
        return found | {path[0]: value}
    return found | {path[0]: {**(found.get(path[0]) or {}), path[1]: value}}
