"""The hub's one door to untrusted code."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from schemas.audit import AuditCase, AuditReport
from schemas.comparison import VerifierComparison
from schemas.manifest import Isolation, Manifest
from schemas.verdict import Verdict


@dataclass(frozen=True)
class ExecutableRelease:
    """What a box is made from: one release's bytes on local disk and its manifest."""

    package: str
    version: str
    digest: str
    wheel: Path
    manifest: Manifest


@dataclass(frozen=True)
class ScoringCall:
    """One response to judge. ``task`` is whole, with answer and info."""

    id: str
    task: dict[str, Any]
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None


@dataclass(frozen=True)
class ReplayCount:
    """How many calls ran once more, one isolation level up, and how many of them were judged differently."""

    compared: int
    mismatches: int


@dataclass(frozen=True)
class AuditPlan:
    """An audit to run: the verifier's release, the cases, and the tasks they speak of by id."""

    verifier: ExecutableRelease
    subject: str
    cases: Sequence[AuditCase]
    tasks: Mapping[str, dict[str, Any]]
    repeats: int = 1


@dataclass(frozen=True)
class LabelledSuite:
    """One package's labelled cases, and the tasks that they name by id. ``name``: whose they are."""

    name: str
    cases: Sequence[AuditCase]
    tasks: Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class ComparisonPlan:
    """Two verifiers to compare over the same suites. ``names``: what the comparison calls them."""

    first: ExecutableRelease
    second: ExecutableRelease
    suites: Sequence[LabelledSuite]
    names: tuple[str, str]


Progress = Callable[[int, int], None]
"""Called with (done, total); what it raises ends the audit."""


class ExecutorSession(Protocol):
    """A live multi-turn episode."""

    def reset(self) -> dict[str, Any]: ...
    def step(self, message: dict[str, Any]) -> dict[str, Any]: ...
    def state(self) -> dict[str, Any]: ...
    def branch(self) -> "ExecutorSession": ...
    def undo(self) -> dict[str, Any] | None: ...
    def close(self) -> None: ...


class Executor(Protocol):
    """Runs packages in the sandbox. Methods raise ``SandboxUnavailableError`` when no box can be had."""

    def unavailable_reason(self) -> str | None:
        """Why no code can run now and what to do, or None when it can. Cheap; may be called often."""
        ...

    def score(
        self, release: ExecutableRelease, calls: Iterable[ScoringCall], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts in completion order, each id exactly once. Closing the iterator cancels what is left."""
        ...

    def take_replays(self, release: ExecutableRelease) -> ReplayCount:
        """What replaying has found for ``release`` since this was asked last. Cheap; starts nothing."""
        ...

    def tasks(
        self, release: ExecutableRelease, split: str, *, start: int, count: int, seed: int
    ) -> list[dict[str, Any]]:
        """Tasks of a generated split, computed in a box."""
        ...

    def audit(self, plan: AuditPlan, progress: Progress) -> AuditReport:
        """Run an audit to its report."""
        ...

    def compare(self, plan: ComparisonPlan, progress: Progress) -> VerifierComparison:
        """Two verifiers over the same cases and over seeded probes made from them."""
        ...

    def session(
        self, release: ExecutableRelease, task: dict[str, Any], *, seed: int
    ) -> AbstractContextManager[ExecutorSession]:
        """A multi-turn episode in a box of its own."""
        ...

    def metrics(self) -> str:
        """What this process's sandbox has counted, as Prometheus text; empty while it has none. Starts nothing."""
        ...

    def close(self) -> None:
        """End every box. Harmless to call twice."""
        ...
