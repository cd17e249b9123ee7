"""An audit to run: what the caller hands to the process that runs packages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from schemas.evidence.cases import AuditCase
from schemas.manifest import Isolation

ReleaseT = TypeVar("ReleaseT")
Progress = Callable[[int, int], None]
"""Called with (done, total). An exception that it raises stops the audit."""


@dataclass(frozen=True)
class CaseDraw:
    """One draw from a suite's generator: the seed, the number of cases, and how they are adapted to the verifier."""

    seed: int
    count: int
    adapt: Callable[[AuditCase], AuditCase]


@dataclass(frozen=True)
class AuditPlan(Generic[ReleaseT]):
    """An audit to run: the release whose verifier is measured, the cases, and the tasks that the cases name by id."""

    verifier: ReleaseT
    subject: str
    """``owner/name@version``, as it appears in the report."""
    cases: Sequence[AuditCase]
    tasks: Mapping[str, dict[str, Any]]
    repeats: int = 1
    probes: bool = True
    isolation: Isolation | None = None
    seconds: float | None = None
    """Time limit for the whole audit, in seconds. Cases without a verdict by then are reported as not judged.

    None: no limit.
    """
    probe_seed: str | None = None
    """Seed for the generated probes. None: the default seed, which is public."""
    order: str | None = None
    """Seed of the order in which the cases are judged. None: their own order. The report has always the same order."""
    earlier: Mapping[str, bool | list[bool | None] | None] = field(default_factory=dict)
    """Verdicts of an earlier audit of the same bytes by key of the content; in a list where they had changed."""
    draws: Sequence[tuple[ReleaseT, CaseDraw]] = ()
    """Suites whose generators make further cases, known to nobody before."""


class ReplayCount(NamedTuple):
    """How many calls were repeated one isolation level higher, and how many of those got another verdict."""

    compared: int
    mismatches: int
