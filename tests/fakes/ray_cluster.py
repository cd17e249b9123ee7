"""A cluster in this process: nodes with the real node's code, and lines to them that break as told."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from sandbox.cluster.link import NodeFacts, Row, unpack_rows
from sandbox.cluster.node import SandboxNode
from sandbox.cluster.wheel_transfer import ReleaseHeader, files_of
from sandbox.errors import NodeLostError
from sandbox.interface import Backend, Source
from schemas.manifest import Isolation


async def until(condition: Callable[[], bool]) -> None:
    """Wait, at most 60 s by the running loop's clock."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 -- nothing tells of most of what is waited for
            await asyncio.sleep(0.01)


class FakeNode:
    """One node and its line. ``breaks``: after how many messages each group's stream breaks off (None: it does not)."""

    def __init__(self, name: str, backend: Backend, folder: Path, breaks: Sequence[int | None] = ()) -> None:
        self.name = name
        self.backend = backend
        self.breaks = list(breaks)
        self.version: str | None = None
        self.is_gone = False
        self.is_silent = False
        self.is_stuck = False
        """Takes groups and never answers them, though it says that it is well."""
        self.groups: list[int] = []
        """How many calls each group had."""
        self.shipped: list[str] = []
        self.ends: list[str] = []
        self.cancelled_groups = 0
        self._node = SandboxNode(backend, {"state_folder": folder / name, "replay_fraction": 1.0})

    async def ask(self, method: str, *arguments: Any) -> Any:
        await self._pause()
        value, error = await self._node.ask(method, *arguments)
        if error is not None:
            raise error
        if isinstance(value, NodeFacts) and self.version is not None:
            return NodeFacts(self.version, value.pid, value.boxes_per_package)
        return value

    async def send(self, source: Source) -> None:
        files = files_of(source)
        missing = await self.ask("missing", list(files))
        self.shipped += missing
        await self.ask("hold", ReleaseHeader.of(source), *(files[digest].read_bytes() for digest in missing))

    async def judge(self, digest: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        self.groups.append(len(calls))
        left = self.breaks.pop(0) if self.breaks else None
        is_over = False
        try:
            await until(lambda: not self.is_stuck)
            async with aclosing(self._node.judge(digest, isolation, calls)) as batches:
                async for packed in batches:
                    for row in unpack_rows(packed):
                        await self._pause()
                        if left == 0:
                            is_over = True
                            raise NodeLostError("the line broke")
                        left = left - 1 if left is not None else None
                        yield [row, row, (10_000, *row[1:])]  # a line may repeat itself, and talk nonsense
            is_over = True
        finally:
            self.cancelled_groups += not is_over

    async def end(self) -> None:
        self.ends.append("end")
        await self._node.on_close()

    async def kill(self) -> None:
        self.ends.append("kill")

    async def _pause(self) -> None:
        await asyncio.sleep(0)
        await until(lambda: not self.is_silent)
        if self.is_gone:
            raise NodeLostError("the node is gone")


class FakeCluster:
    """Nodes by name; what is gone is not found."""

    none_found = "no node is there: start one"

    def __init__(self, nodes: Sequence[FakeNode]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.is_left = False

    async def found(self) -> Mapping[str, str]:
        return {name: name for name, node in self.nodes.items() if not node.is_gone}

    async def open(self, node_id: str) -> FakeNode:
        return self.nodes[node_id]

    async def aclose(self) -> None:
        self.is_left = True
