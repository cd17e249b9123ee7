"""The closed list of refusals: every code that the hub answers with, its status, and what it means."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from hub_server.errors import HubServerError
from schemas.problem import ProblemCode


@dataclass(frozen=True)
class Refusal:
    """One row of ``docs/reference/errors.md``."""

    code: ProblemCode
    status: int
    title: str
    meaning: str


def all_refusals() -> list[Refusal]:
    """One for each code, by status and code, in the words of the class that stands for it."""
    found: dict[ProblemCode, Refusal] = {}
    for kind in _every_kind():
        if "code" in vars(kind):
            meaning = " ".join((inspect.getdoc(kind) or "").split())
            found.setdefault(kind.code, Refusal(kind.code, kind.status, kind.title, meaning))
    return sorted(found.values(), key=lambda refusal: (refusal.status, refusal.code))


def _every_kind() -> Iterator[type[HubServerError]]:
    """The tree of errors: leaves first, breadth first; a family explains only a code that no leaf has."""
    level: list[type[HubServerError]] = [HubServerError]
    families = []
    while level:
        yield from (kind for kind in level if not kind.__subclasses__())
        families += [kind for kind in level if kind.__subclasses__()]
        level = [child for kind in level for child in kind.__subclasses__()]
    yield from families


def refusals_as_markdown() -> str:
    """The table of ``docs/reference/errors.md``."""
    rows = [f"| `{r.code.value}` | {r.status} | {r.title} | {r.meaning} |" for r in all_refusals()]
    return "\n".join(["| code | status | title | what it means |", "|---|---|---|---|", *rows])
