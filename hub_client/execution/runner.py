"""Runner: the interface for running a package's code, on this machine or on the hub."""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from hub_client.releases.resolve import LoadedPackage
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress
from schemas.manifest import Isolation
from schemas.verdict import ScoreRequest, Verdict


class RunnerSession(Protocol):
    """A live multi-turn episode."""

    def reset(self) -> dict[str, Any]: ...
    def step(self, message: dict[str, Any]) -> dict[str, Any]: ...
    def state(self) -> dict[str, Any]: ...
    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any: ...
    def branch(self) -> "RunnerSession": ...
    def undo(self) -> None: ...
    def close(self) -> None: ...


class Runner(Protocol):
    """Runs packages. Methods raise :class:`~hub_client.errors.SandboxMissingError` when nothing can run them."""

    @property
    def place(self) -> str:
        """``here`` or ``hub``, for a person to read."""
        ...

    @property
    def most_sessions(self) -> int:
        """How many sessions may live at a time; 0: as many as there is memory for."""
        ...

    def score(
        self, package: LoadedPackage, /, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts in completion order, each id exactly once."""
        ...

    def score_stream(
        self, package: LoadedPackage, /, calls: AsyncIterator[ScoreRequest], isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """The same for asyncio; calls are judged as they arrive."""
        ...

    def tasks(
        self, package: LoadedPackage, /, split: str, *, start: int, count: int, seed: int
    ) -> list[dict[str, Any]]:
        """Tasks of a generated split; fewer than ``count`` at its end."""
        ...

    def tools(self, package: LoadedPackage, /) -> list[dict[str, Any]]:
        """The package's own tools as function schemas."""
        ...

    def call_tool(self, package: LoadedPackage, /, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the package's own tools; what it returned, as JSON data."""
        ...

    def session(
        self, package: LoadedPackage, /, task: dict[str, Any], *, seed: int
    ) -> AbstractContextManager[RunnerSession]:
        """A multi-turn episode in a box of its own."""
        ...

    def audit(self, plan: AuditPlan[LoadedPackage], progress: Progress) -> AuditReport:
        """Measure a verifier."""
        ...

    def image_digest(self, package: LoadedPackage, /) -> str:
        """``sha256:…`` of the image that verdicts depend on besides the wheel; empty when it is not known."""
        ...

    def close(self) -> None:
        """End every box. Harmless to call twice."""
        ...
