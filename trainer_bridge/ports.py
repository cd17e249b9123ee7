"""Protocols: what the trainer uses of a hub and of a progress display. The hub client implements them, and so do
fakes.
"""

from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from hub_client.releases.resolve import LoadedPackage
from hub_client.transport.requests.call import ApiCall
from hub_client.unsent_reports import RunSink
from schemas.known_audit import KnownAudit
from schemas.manifest import Manifest, RewardDeclaration
from schemas.verdict import ScoreRequest, Verdict

Answer = TypeVar("Answer")


class Verifier(Protocol):
    """The part of ``hub.verifier(ref)`` that the trainer uses."""

    @property
    def manifest(self) -> Manifest: ...
    @property
    def version(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def judge(self) -> LoadedPackage: ...
    @property
    def rewards(self) -> Mapping[str, RewardDeclaration]: ...
    def score_stream(
        self, pairs: AsyncIterable[tuple[dict[str, Any], str | ScoreRequest]]
    ) -> AsyncIterator[tuple[int, Verdict]]: ...
    def close(self) -> None: ...


class Environment(Verifier, Protocol):
    """The part of ``hub.environment(ref)`` that the trainer uses."""

    def tasks(
        self, split: str, *, seed: int = 0, start: int = 0, limit: int | None = None
    ) -> Iterator[dict[str, Any]]: ...


class Hub(Protocol):
    """The part of ``hub_client.Hub`` that the trainer uses."""

    @property
    def runs(self) -> RunSink: ...
    @property
    def is_offline(self) -> bool: ...
    def environment(self, target: str) -> Environment: ...
    def verifier(self, target: str) -> Verifier: ...
    def load(self, target: str) -> Any: ...
    def send(self, call: ApiCall[Answer]) -> Answer: ...
    def known_audit(self, verifier: Any) -> KnownAudit | None: ...
    def runner(self) -> Any: ...


class Progress(Protocol):
    """A display of a run's progress."""

    def say(self, text: str) -> None:
        """Say that a phase has started."""
        ...

    def warn(self, text: str) -> None:
        """Warn of something that does not stop the run."""
        ...

    def sampled(self, done: int, total: int) -> None:
        """Report how many completions of the current round are finished."""
        ...

    def learning(self) -> None:
        """Report that the step's samples are complete, and that the policy learns from them now."""
        ...

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        """Report the metrics of a finished step."""
        ...
