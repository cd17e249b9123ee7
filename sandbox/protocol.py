"""What a sandbox offers its users, wherever its boxes are: on this machine, or on the nodes of a cluster."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from sandbox.host.scoring_stream import Calls, Judged, Replays
from sandbox.interface import BoxInfo, Source
from sandbox.sessions.sessions import Session, SessionReplay
from sandbox.streams import Channel
from schemas.manifest import Isolation
from schemas.verdict import Verdict


class Episodes(Protocol):
    """Sessions that the caller closes."""

    async def open(self, source: Source, task: dict[str, Any], seed: int = 0) -> Session: ...

    async def replay(self, source: Source, session: Session) -> SessionReplay: ...


class SandboxProtocol(Protocol):
    """The methods of :class:`~sandbox.sandbox.Sandbox`, which says what each does."""

    @property
    def sessions(self) -> Episodes: ...

    def score(
        self, source: Source, calls: Calls, *, isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[str, Verdict]]: ...

    def judge(self, source: Source, calls: Calls, *, isolation: Isolation | None = None) -> AsyncGenerator[Judged]: ...

    async def judge_into(
        self, source: Source, calls: Calls, verdicts: Channel[Judged], *, isolation: Isolation | None = None
    ) -> None: ...

    def replays(self, source: Source) -> Replays: ...

    async def warm(self, source: Source, boxes: int = 1) -> BoxInfo: ...

    async def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]: ...

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[Any]: ...

    async def tools(self, source: Source) -> list[dict[str, Any]]: ...

    async def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any: ...

    def session(
        self, source: Source, task: dict[str, Any], *, seed: int = 0
    ) -> AbstractAsyncContextManager[Session]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def check(self) -> None:
        """Raise a host fault that says what to do, when no box can be had."""

    def has_box(self, source: Source) -> bool: ...

    def render_metrics(self) -> str: ...

    async def aclose(self) -> None: ...
