"""A sandbox whose engine answers, and falls silent as soon as a box is to be opened. No box ever comes."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from hub_server.adapters import sandbox_executor
from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.settings import SandboxChoice
from sandbox.host.scoring_stream import Replays


class FallingSilent:
    """``has_open_box``: a box is there and at work, so whoever waits for it waits. ``given_up``: what was cancelled."""

    def __init__(self) -> None:
        self.is_silent = self.has_open_box = False
        self.asked = 0
        self.given_up: list[str] = []

    async def check(self) -> None:
        self.asked += 1
        while self.is_silent:  # noqa: ASYNC110 -- set from other threads, which no event of this loop may be
            await asyncio.sleep(0.01)

    async def _opening(self, what: str) -> Any:
        self.is_silent = True
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.given_up.append(what)
            raise

    async def judge_into(self, source: Any, calls: Any, verdicts: Any, *, isolation: Any = None) -> None:
        await self._opening("verdicts")

    async def tasks(self, source: Any, split: str, **which: int) -> Any:
        return await self._opening("tasks")

    async def tools(self, source: Any) -> Any:
        return await self._opening("tools")

    async def call_tool(self, source: Any, name: str, arguments: Any) -> Any:
        return await self._opening("call")

    @asynccontextmanager
    async def session(self, source: Any, task: Any, *, seed: int = 0) -> AsyncGenerator[Any]:
        yield await self._opening("session")

    def has_box(self, source: Any) -> bool:
        return self.has_open_box

    def replays(self, source: Any) -> Replays:
        return Replays()

    def render_metrics(self) -> str:
        return ""

    async def aclose(self) -> None:
        self.is_silent = False


@contextmanager
def falling_silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SandboxExecutor, FallingSilent]]:
    """The hub's executor over it. It has a fifth of a second of patience, and asks the engine anew each time."""
    sandbox = FallingSilent()
    monkeypatch.setattr(sandbox_executor, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(sandbox_executor, "_sandbox", lambda *_: sandbox)
    executor = SandboxExecutor(SandboxChoice())
    executor._ask_again_seconds = 0.0
    try:
        yield executor, sandbox
    finally:
        sandbox.is_silent = False
        executor.close()
