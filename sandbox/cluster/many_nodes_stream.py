"""One ``score()`` over many nodes: call groups out, verdicts back in completion order, each call answered once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sandbox.cluster.link import Row, verdict_of_row
from sandbox.cluster.node_choice import group_limit
from sandbox.cluster.nodes import Node, Nodes
from sandbox.errors import HostFaultError, NodeLostError
from sandbox.host.scoring_stream import Calls, Judged
from sandbox.host.verdict_codec import encode_call, fits
from sandbox.interface import AnyCall, Source
from sandbox.streams import Channel, StreamLeftError
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

_READ_AHEAD = 1024  # chosen, not measured
_UNREAD_VERDICTS = 8192  # chosen: nodes work on while the reader is slow
_GROUP_BYTES = 4 << 20  # chosen: what is lost with a node is sent again
_READY_BYTES = 64 << 20  # chosen: the driver's memory for calls not yet sent
_FIRST_CALLS = 64  # before it is known how long one takes; more might all be long, and all on one node


@dataclass(eq=False)
class _Waiting:
    """One call without an answer. ``avoid``: ids of the nodes that have failed on it."""

    call_id: str
    payload: bytes
    attempts: int = 0
    avoid: frozenset[str] = frozenset()


class ManyNodesStream:
    """Bounded: calls are read no faster than nodes have room and verdicts are taken."""

    def __init__(self, nodes: Nodes, source: Source, isolation: Isolation, host_retries: int) -> None:
        self._nodes = nodes
        self._source = source
        self._isolation = isolation
        self._host_retries = host_retries
        self._declared = {name: reward.range for name, reward in source.manifest.rewards.items()}
        self._ready: deque[_Waiting] = deque()
        self._ready_bytes = 0
        self._verdicts: Channel[Judged] = Channel()
        self._groups: set[asyncio.Task[None]] = set()
        self._out_count = 0
        """Calls that are on nodes."""
        self._error: BaseException | None = None
        self._changed = asyncio.Event()
        """A call group, the feeder or the sender is over."""
        self._has_ready = asyncio.Event()
        self._has_room = asyncio.Event()

    async def run(self, calls: Calls, verdicts: Channel[Judged]) -> None:
        """Send a :class:`Judged` for every call to ``verdicts``. Cancelling it cancels what is left, on nodes too."""
        self._verdicts = verdicts
        feeder = asyncio.ensure_future(self._feed(calls))
        sender = asyncio.ensure_future(self._send())
        for task in (feeder, sender):
            task.add_done_callback(lambda _: self._changed.set())
        try:
            while True:
                self._changed.clear()
                for task in (feeder, sender):
                    if task.done():
                        task.result()
                if self._error is not None:
                    raise self._error
                if feeder.done() and not self._ready and not self._groups:
                    return
                await self._changed.wait()
        finally:
            running = [feeder, sender, *self._groups]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    # -- calls in ----------------------------------------------------------------------------------------------------

    async def _feed(self, calls: Calls) -> None:
        if isinstance(calls, Channel):
            while arrived := await calls.take():
                for call in arrived:
                    await self._queue(call)
        elif isinstance(calls, AsyncIterable):
            async for arriving in calls:
                await self._queue(arriving)
        else:
            for call in calls:
                await self._queue(call)

    async def _queue(self, call: AnyCall) -> None:
        while len(self._ready) >= _READ_AHEAD or self._ready_bytes >= _READY_BYTES:
            self._has_room.clear()
            await self._has_room.wait()
        await self._verdicts.wait_until(self._is_read)
        waiting = _Waiting(call.id, encode_call(call))
        self._ready_bytes += len(waiting.payload)
        self._ready.append(waiting)
        self._has_ready.set()

    def _is_read(self) -> bool:
        return self._verdicts.unread < _UNREAD_VERDICTS

    # -- call groups out -----------------------------------------------------------------------------------------------

    async def _send(self) -> None:
        """Give call groups to nodes, as long as somebody takes the verdicts."""
        while True:
            await self._has_ready.wait()
            self._has_ready.clear()
            try:
                while self._ready:
                    await self._nodes.ready()
                    while self._out_count >= _FIRST_CALLS and not self._nodes.times.knows(self._source.digest):
                        # Otherwise all calls would go to one node before it is known how long they take.
                        await self._nodes.changed()
                    first = self._ready[0]
                    node = await self._nodes.choose(self._source.digest, first.avoid)
                    if self._ready[0] is first:  # else calls came back meanwhile, which may avoid this node
                        self._start_group(node)
                    await asyncio.sleep(0)  # answers come in between: a long queue must not be cut in one go
            except HostFaultError as fault:
                given_up, self._ready, self._ready_bytes = self._ready, deque(), 0
                for waiting in given_up:
                    self._give_up(waiting, fault)
            self._has_room.set()

    def _start_group(self, node: Node) -> None:
        """Cut a call group from the head of the queue: calls that avoid the same nodes, no more than should travel
        together.
        """
        call_ms = self._nodes.times.of(self._source.digest)
        known = self._nodes.times.knows(self._source.digest)
        limit = group_limit(call_ms, node.load.boxes_per_package) if known else _FIRST_CALLS // 2
        group: list[_Waiting] = []
        size = 0
        while self._ready and len(group) < limit and self._ready[0].avoid == (group or self._ready)[0].avoid:
            size += len(self._ready[0].payload)
            if group and size > _GROUP_BYTES:
                break
            group.append(self._ready.popleft())
            self._ready_bytes -= len(group[-1].payload)
        self._has_room.set()
        self._nodes.started(node, len(group), call_ms)
        self._out_count += len(group)
        left = dict(enumerate(group))
        task = asyncio.ensure_future(self._run(node, left, call_ms))
        self._groups.add(task)

        def over(_: "asyncio.Task[None]") -> None:  # a task that was cancelled before its first step runs no finally
            self._groups.discard(task)
            self._answered(node, len(left), call_ms)

        task.add_done_callback(over)

    def _answered(self, node: Node, count: int, call_ms: float) -> None:
        """That many calls are on the node no more."""
        self._out_count -= count
        self._nodes.ended(node, count, call_ms)
        self._changed.set()

    async def _run(self, node: Node, left: dict[int, _Waiting], call_ms: float) -> None:
        """One call group on one node; what it leaves unanswered goes to another node."""
        try:
            await node.while_there(self._judge(node, left, call_ms))
            if left:
                raise NodeLostError("a sandbox node ended a group before every call was answered")
        except HostFaultError as fault:
            self._nodes.failed(node, fault)
            self._try_elsewhere(list(left.values()), node, fault)
        except Exception as error:  # noqa: BLE001 -- raised where the verdicts are taken
            self._error = error

    async def _judge(self, node: Node, left: dict[int, _Waiting], call_ms: float) -> None:
        await node.hold(self._source)
        calls = [waiting.payload for waiting in left.values()]  # all of them: numbered from 0
        async for rows in node.link.judge(self._source.boxes_key, self._isolation, calls):
            before = len(left)
            told: list[Judged] = []
            for row in rows:
                waiting = left.pop(row[0], None)
                if waiting is not None:  # else it was not asked for, or came before
                    told += self._taken(waiting, row, node)
            self._tell(told)  # at once: the reader wakes up once
            self._nodes.times.saw(self._source.digest, [row[4] for row in rows])
            self._answered(node, before - len(left), call_ms)

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _taken(self, waiting: _Waiting, row: Row, node: Node) -> list[Judged]:
        """What the reader is told of one row: nothing where another node is asked too."""
        verdict = verdict_of_row(row)
        if verdict.error is not None and verdict.error.kind is ErrorKind.HOST:
            if len(self._nodes.alive) > 1:
                self._try_elsewhere([waiting], node, HostFaultError(verdict.error.message))
                return []
        else:
            self._nodes.judged(node, self._source.digest, waiting.avoid)
        if not fits(verdict.rewards, self._declared):
            message = f"the node {node.name} answered with another vector than declared: {verdict.rewards}"
            self._give_up(waiting, HostFaultError(message))
            return []
        return [Judged(waiting.call_id, verdict, row[4])]

    def _tell(self, judged: list[Judged]) -> None:
        with suppress(StreamLeftError):  # the reader has left, and this stream is about to be cancelled
            self._verdicts.put_all(judged)

    def _try_elsewhere(self, group: Sequence[_Waiting], node: Node, fault: HostFaultError) -> None:
        """Put the call at the head of the queue, away from this node. It is masked when that has happened too often."""
        for waiting in reversed(group):
            waiting.attempts += 1
            waiting.avoid |= {node.ident}
            if waiting.attempts > self._host_retries:
                self._give_up(waiting, fault)
            else:
                self._nodes.counters["calls_elsewhere", node.name] += 1
                self._ready.appendleft(waiting)
                self._ready_bytes += len(waiting.payload)
        self._has_ready.set()

    def _give_up(self, waiting: _Waiting, fault: HostFaultError) -> None:
        """The call gets null with the reason, never 0, so that a trainer masks the sample."""
        message = f"given up after {waiting.attempts} tries: {fault}" if waiting.attempts else str(fault)
        verdict = Verdict.unjudged(list(self._declared), ErrorKind.HOST, message)
        self._tell([Judged(waiting.call_id, verdict, 0.0)])
        self._changed.set()
