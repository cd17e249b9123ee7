"""ClusterSandbox: the methods of a sandbox, over every node of a cluster."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, aclosing
from functools import partial
from types import TracebackType
from typing import Any, Self

from sandbox.cluster.link import Cluster
from sandbox.cluster.many_nodes_stream import ManyNodesStream
from sandbox.cluster.metrics import render_nodes
from sandbox.cluster.nodes import Node, Nodes
from sandbox.cluster.sessions import NodeSessions
from sandbox.cluster.settings import ClusterSettings
from sandbox.host.scoring_stream import Calls, Judged, Replays, judged_channel
from sandbox.interface import BoxInfo, Source
from sandbox.sandbox import level_of, tasks_of
from sandbox.sessions.sessions import Session
from sandbox.settings import SandboxSettings
from sandbox.streams import Channel, produced
from schemas.manifest import Isolation
from schemas.verdict import Verdict


class ClusterSandbox:
    """The methods of :class:`~sandbox.sandbox.Sandbox`; a release's calls go to its own node while that has room.

    Every call gets one verdict: what a lost node leaves unanswered runs on another, then is ``host``. Use as an async
    context manager, within one event loop: leaving it ends its boxes on every node.
    """

    def __init__(self, cluster: Cluster, settings: SandboxSettings, knobs: ClusterSettings | None = None) -> None:
        self.settings = settings
        self.nodes = Nodes(cluster, knobs or ClusterSettings())
        self.sessions = NodeSessions(self.nodes, settings.host_retries)
        """Where sessions live: ``open`` for one that the caller closes, ``replay`` for the determinism test."""
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def check(self) -> None:
        """Join the cluster. Raises SandboxUnavailableError, with what to do, when no node can run a sandbox."""
        await self.nodes.ready()

    async def score(
        self, source: Source, calls: Calls, *, isolation: Isolation | None = None
    ) -> AsyncGenerator[tuple[str, Verdict]]:
        """``(id, verdict)`` of every call, in completion order."""
        async with aclosing(self.judge(source, calls, isolation=isolation)) as judged:
            async for one in judged:
                yield one.id, one.verdict

    def judge(self, source: Source, calls: Calls, *, isolation: Isolation | None = None) -> AsyncGenerator[Judged]:
        """:meth:`score`, with the milliseconds that the package's code took."""
        return produced(self._stream(source, calls, isolation), make=judged_channel)

    async def judge_into(
        self, source: Source, calls: Calls, verdicts: Channel[Judged], *, isolation: Isolation | None = None
    ) -> None:
        """:meth:`judge`, with a channel for its verdicts, which any thread may read."""
        await self._stream(source, calls, isolation)(verdicts)

    def _stream(
        self, source: Source, calls: Calls, isolation: Isolation | None
    ) -> Callable[[Channel[Judged]], Coroutine[Any, Any, None]]:
        stream = ManyNodesStream(self.nodes, source, level_of(source, isolation), self.settings.host_retries)
        return partial(stream.run, calls)

    async def warm(self, source: Source, boxes: int = 1) -> BoxInfo:
        """Have boxes ready on the release's own node. Raises what keeps the package from being loaded."""
        info: BoxInfo = await self._ask(source, "warm", boxes)
        return info

    async def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Rows of a split. A file is read here; a generator runs in a box of a node."""
        return await tasks_of(source, split, start, count, seed, self.generate)

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[Any]:
        """What the generator ``entry`` makes for ``start`` to ``start + count``."""
        rows: list[Any] = await self._ask(source, "generate", entry, split, count, start, seed)
        return rows

    async def tools(self, source: Source) -> list[dict[str, Any]]:
        """The package's own tools as function schemas."""
        tools: list[dict[str, Any]] = await self._ask(source, "tools")
        return tools

    async def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any:
        """Call one tool in a fork of its own. Raises guest faults with the author's message."""
        return await self._ask(source, "call_tool", name, arguments)

    def session(self, source: Source, task: dict[str, Any], *, seed: int = 0) -> AbstractAsyncContextManager[Session]:
        """A live episode, on one node; :class:`~sandbox.errors.SessionClosedError` when that node is lost."""
        return self.sessions.session(source, task, seed)

    async def image_digest(self, source: Source) -> str:
        """The digest that the release's own node computes. Nodes with the same base image agree."""
        digest: str = await self._ask(source, "image_digest")
        return digest

    def replays(self, source: Source) -> Replays:
        """What replaying has found on all nodes, as of their last report. The calls that differed stay on the nodes."""
        found = [node.report.replays.get(source.digest, (0, 0, 0)) for node in self.nodes.alive]
        compared, differed, pending = (sum(column) for column in zip((0, 0, 0), *found, strict=True))
        return Replays(compared=compared, mismatch_count=differed, pending=pending)

    def has_box(self, source: Source) -> bool:  # noqa: ARG002 -- the protocol's name
        """Unknown here, so always True: each node watches its own engine, and its calls run on others."""
        return True

    def render_metrics(self) -> str:
        """Prometheus text: every node's metrics with a label ``node``, as of its last report, and our own."""
        return render_nodes(self.nodes.alive, self.nodes.counters)

    async def aclose(self) -> None:
        """End our boxes on every node, leave the cluster. Idempotent."""
        if not self._is_closed:
            self._is_closed = True
            await self.nodes.aclose()

    async def _ask(self, source: Source, method: str, *arguments: Any) -> Any:
        def work(node: Node) -> Coroutine[Any, Any, Any]:
            return node.link.ask(method, source.boxes_key, *arguments)

        _, value = await self.nodes.attempt(source, self.settings.host_retries, work)
        return value
