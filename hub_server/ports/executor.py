"""The only port through which the hub runs untrusted code."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from schemas.comparison import ComparisonPlan, VerifierComparison
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress, ReplayCount
from schemas.manifest import Isolation, Manifest
from schemas.verdict import ScoreRequest, Verdict


@dataclass(frozen=True)
class ExecutableRelease:
    """What a box is made from: one release's bytes on local disk and its manifest."""

    package: str
    version: str
    digest: str
    wheel: Path
    manifest: Manifest


class ExecutorSession(Protocol):
    """A live multi-turn episode."""

    def reset(self) -> dict[str, Any]: ...
    def step(self, message: dict[str, Any]) -> dict[str, Any]: ...
    def state(self) -> dict[str, Any]: ...
    def branch(self) -> "ExecutorSession": ...
    def undo(self) -> dict[str, Any] | None: ...
    def close(self) -> None: ...


class JudgedCall(Protocol):
    """One verdict of a stream, and how many bytes its reply had."""

    @property
    def id(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def byte_count(self) -> int: ...


class Executor(Protocol):
    """Runs packages in the sandbox. Methods raise ``ExecutionUnavailableError`` when no box can be had."""

    def unavailable_reason(self) -> str | None:
        """Why no code can run now and what to do, or None when it can. Cheap; may be called often."""
        ...

    def check(self) -> None:
        """Raise where no code can run now. Unlike ``unavailable_reason`` it waits shortly for an engine that hangs."""
        ...

    def score(
        self, release: ExecutableRelease, calls: Iterable[ScoreRequest], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts in completion order, each id exactly once; a request's task is whole, with answer and info.

        Closing the iterator cancels what is left.
        """
        ...

    def score_lists(
        self, release: ExecutableRelease, calls: AsyncIterator[ScoreRequest], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[Sequence[JudgedCall]]:
        """:meth:`score` for asyncio, in lists of what is there. Parks no thread, however many streams there are."""
        ...

    def take_replays(self, release: ExecutableRelease) -> ReplayCount:
        """What replays have found for ``release`` since the last call. Cheap; starts nothing."""
        ...

    def tasks(
        self, release: ExecutableRelease, split: str, *, start: int, count: int, seed: int, seconds: float | None = None
    ) -> list[dict[str, Any]]:
        """Tasks of a generated split, computed in a box.

        ``seconds``: how long that may take, with the wait for a box (``ExecutionUnavailableError`` when it is over).
        """
        ...

    def audit(self, plan: AuditPlan[ExecutableRelease], progress: Progress) -> AuditReport:
        """Run an audit to its report."""
        ...

    def compare(self, plan: ComparisonPlan[ExecutableRelease], progress: Progress) -> VerifierComparison:
        """Two verifiers over the same cases and over seeded probes made from them."""
        ...

    def session(
        self, release: ExecutableRelease, task: dict[str, Any], *, seed: int
    ) -> AbstractContextManager[ExecutorSession]:
        """A multi-turn episode in a box of its own."""
        ...

    def metrics(self) -> str:
        """The counters of this process's sandbox, as Prometheus text; empty while it has none. Starts nothing."""
        ...

    def close(self) -> None:
        """End every box. Harmless to call twice."""
        ...
