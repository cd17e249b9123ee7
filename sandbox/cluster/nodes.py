"""The nodes as the driver sees them: which are ready, how much work each has, which are lost."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sandbox.cluster.link import Cluster, NodeFacts, NodeLink, NodeReport
from sandbox.cluster.node import own_version
from sandbox.cluster.node_choice import CallTimes, Load, pick, rank
from sandbox.cluster.settings import ClusterSettings
from sandbox.errors import HostFaultError, NodeLostError, SandboxUnavailableError
from sandbox.interface import Source

_log = logging.getLogger(__name__)
_COOLDOWN_SECONDS = 5.0  # in which a release that failed on a node is sent to the next one
_FAULTS_IN_A_ROW = 3  # One call may be lost by chance, and then the release would leave its warm boxes for nothing.
_SLOWEST_RETRY_SECONDS = 60.0  # of a node that could not be used, after 2, 4, 8, ... seconds
_ASKED_AT_ONCE = 8
"""Nodes that are asked for a report in one ``poll_seconds``."""
_SECOND_CHANCE_SECONDS = 1.0  # after a pause of our own loop the answer is there, though its time is over
_Result = TypeVar("_Result")


@dataclass(eq=False)
class Node:
    """One node that is ready. ``name`` is for people and for the label of its metrics."""

    ident: str
    name: str
    link: NodeLink
    facts: NodeFacts
    load: Load
    held: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    """By ``boxes_key``: the transfer of a release to the node, done when it has arrived."""
    report: NodeReport = field(default_factory=NodeReport)
    faults_in_a_row: Counter[str] = field(default_factory=Counter)
    """By digest: calls of a release in a row that this node could not judge and another could."""
    gone: "asyncio.Future[str]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Done, with the reason, when the node is given up."""

    async def while_there(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run ``work`` on this node.

        Raises NodeLostError as soon as the node is given up, whatever the work waits for.
        """
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self.gone), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise NodeLostError(self.gone.result())
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))

    async def hold(self, source: Source) -> None:
        """Make sure that the release is on the node. Several call groups wait for one transfer."""
        way = self.held.get(source.boxes_key)
        if way is None or (way.done() and (way.cancelled() or way.exception() is not None)):
            way = self.held[source.boxes_key] = asyncio.ensure_future(self.link.send(source))
            way.add_done_callback(lambda done: done.cancelled() or done.exception())  # told even if nobody waits
        if not way.done():
            await asyncio.wait([way])
        way.result()


@dataclass
class _NodeFailures:
    """Why a node is not used now, and when it is asked again."""

    reason: str
    again_at: float
    count: int


class Nodes:
    """Finds nodes, opens a sandbox on each, chooses one for every call group, and notices losses."""

    def __init__(self, cluster: Cluster, settings: ClusterSettings) -> None:
        self._cluster = cluster
        self._settings = settings
        self._nodes: dict[str, Node] = {}
        self._joining: dict[str, asyncio.Task[None]] = {}
        self._failures: dict[str, _NodeFailures] = {}
        self._cooldowns: dict[tuple[str, str], float] = {}
        """(node's id, digest of a release) -> until when the node is not chosen for it."""
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None
        self._first_look: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._endings: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self.times = CallTimes()
        self.counters: Counter[tuple[str, str]] = Counter()
        """(what, node's name) -> how often."""

    @property
    def alive(self) -> list[Node]:
        """Those that are ready now."""
        return list(self._nodes.values())

    async def ready(self) -> None:
        """The first time: wait until every node that was found has joined or failed. Later: return at once.

        Raises SandboxUnavailableError when there is none.
        """
        if self._is_closed:
            raise SandboxUnavailableError("this sandbox is closed: make a new one")
        if self._watch is not None:
            return
        if self._first_look is None or (self._first_look.done() and not self._nodes):
            self._first_look = asyncio.ensure_future(self._look_and_join())
        if not self._first_look.done():
            await asyncio.wait([self._first_look])
        if not self._nodes:
            self._first_look.result()
        if self._watch is None:
            self._watch = asyncio.ensure_future(self._watching())

    async def choose(self, digest: str, avoid: frozenset[str] = frozenset()) -> Node:
        """The node for the next call group of a release; waits while all are full.

        ``avoid``: ids of nodes that these calls have already failed on; taken all the same when there is no other.
        Raises SandboxUnavailableError when no node is there and none comes in time.
        """
        deadline: float | None = None
        while True:
            if self._is_closed:
                raise SandboxUnavailableError("this sandbox is closed: make a new one")
            node = self._pick(digest, avoid)
            if node is not None:
                return node
            patience: float | None = None
            if not self._nodes:
                deadline = deadline or _now() + self._settings.wait_seconds
                patience = deadline - _now()
                if patience <= 0:
                    raise SandboxUnavailableError(self._why_none())
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self.changed()

    async def changed(self) -> None:
        """Wait until a node came, went, or answered something."""
        await self._changed.wait()

    def _pick(self, digest: str, avoid: frozenset[str]) -> Node | None:
        now = _now()
        good = [ident for ident in self._nodes if ident not in avoid and not self._is_cooling_down(ident, digest, now)]
        usable = good or [ident for ident in self._nodes if ident not in avoid] or list(self._nodes)
        ranked = [(ident, self._nodes[ident].load) for ident in rank(digest, usable)]
        ident = pick(ranked, spill_seconds=self._settings.spill_seconds, calls_per_node=self._settings.calls_per_node)
        return self._nodes[ident] if ident is not None else None

    def started(self, node: Node, count: int, call_ms: float) -> None:
        """That many calls are on their way to the node."""
        node.load.add(count, call_ms)
        self.counters["groups", node.name] += 1

    def ended(self, node: Node, count: int, call_ms: float) -> None:
        """That many of them are answered, or will never be."""
        if count:
            node.load.remove(count, call_ms)
            self._wake()

    def failed(self, node: Node, fault: HostFaultError) -> None:
        """A call group or request failed there through no fault of its own: give the node up if it is lost.

        Any other fault may be the package's doing, which ended its own boxes. Whether it was the node is known when
        another node has done the same (:meth:`judged`).
        """
        if isinstance(fault, NodeLostError):
            self._lose(node, str(fault))

    def judged(self, node: Node, digest: str, failed_on: frozenset[str] = frozenset()) -> None:
        """The node judged a call of a release. ``failed_on``: ids of nodes that could not judge the same call.

        Those are to blame: the call itself went well here. A release that fails on every node may bring it on itself,
        so it suspends none. Whatever a package does on some nodes only, they are suspended for that release alone.
        """
        node.faults_in_a_row.pop(digest, None)
        for ident in failed_on & self._nodes.keys():
            faults = self._nodes[ident].faults_in_a_row
            faults[digest] += 1
            if faults[digest] >= _FAULTS_IN_A_ROW:
                self._start_cooldown(ident, digest)

    def _start_cooldown(self, ident: str, digest: str) -> None:
        now = _now()
        self._cooldowns = {key: until for key, until in self._cooldowns.items() if until > now}
        self._cooldowns[ident, digest] = now + _COOLDOWN_SECONDS

    def _is_cooling_down(self, ident: str, digest: str, now: float) -> bool:
        return self._cooldowns.get((ident, digest), 0.0) > now

    async def attempt(
        self, source: Source, retries: int, work: Callable[[Node], Coroutine[Any, Any, _Result]]
    ) -> tuple[Node, _Result]:
        """One request on the release's node, and on others while the fault is ours: ``(node, what it returned)``."""
        await self.ready()
        avoid: frozenset[str] = frozenset()
        for left in reversed(range(retries + 1)):
            node = await self.choose(source.digest, avoid)
            self.started(node, 1, 1.0)
            try:
                await node.while_there(node.hold(source))
                result = await node.while_there(work(node))
            except HostFaultError as fault:
                self.failed(node, fault)
                avoid |= {node.ident}
                if left == 0:
                    raise
            else:
                for ident in avoid - {node.ident}:  # they are to blame, since it can be done
                    self._start_cooldown(ident, source.digest)
                return node, result
            finally:
                self.ended(node, 1, 1.0)
        raise AssertionError("unreachable")

    async def aclose(self) -> None:
        """End every node's sandbox, leave the cluster."""
        self._is_closed = True
        tasks = [self._watch, self._first_look, *self._joining.values(), *self._asking.values()]
        for task in tasks:
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)
        await asyncio.gather(*(node.link.end() for node in self.alive), *self._endings)
        self._nodes.clear()
        self._wake()
        await self._cluster.aclose()

    # -- coming and going --------------------------------------------------------------------------------------------

    async def _look_and_join(self) -> None:
        await self._look()
        if self._joining:
            await asyncio.wait(self._joining.values())
        if not self._nodes:
            raise SandboxUnavailableError(self._why_none())

    async def _watching(self) -> None:
        """Ask a few nodes at a time how they are, and look for others whenever all have been asked.

        A look costs as much as there are nodes, and so does asking all of them. This way a second of watching costs the
        driver the same with a hundred nodes as with a few; each node is asked less often.
        """
        due: deque[Node] = deque()
        while True:
            await asyncio.sleep(self._settings.poll_seconds)
            due = deque(node for node in due if self._nodes.get(node.ident) is node)
            if not due:
                with suppress(HostFaultError):  # a cluster that does not answer now may answer next time
                    await self._look()
                due.extend(self.alive)
            for _ in range(min(_ASKED_AT_ONCE, len(due))):
                self._begin_to_ask(due.popleft())

    def _begin_to_ask(self, node: Node) -> None:
        if node.ident not in self._asking:
            task = self._asking[node.ident] = asyncio.ensure_future(self._ask_report(node))
            task.add_done_callback(lambda _, ident=node.ident: self._asking.pop(ident, None))  # type: ignore[misc]

    async def _look(self) -> None:
        """Begin to open what is new, give up what is gone."""
        found = await self._cluster.found()
        now = _now()
        for ident, name in found.items():
            failures = self._failures.get(ident)
            if ident not in self._nodes and ident not in self._joining and (not failures or failures.again_at <= now):
                task = self._joining[ident] = asyncio.ensure_future(self._join(ident, name))
                task.add_done_callback(lambda _, ident=ident: self._joining.pop(ident, None))  # type: ignore[misc]
        for ident in self._joining.keys() - found.keys():
            self._joining[ident].cancel()
        for node in self.alive:
            if node.ident not in found:
                self._lose(node, f"the node {node.name} has left the cluster")
        for ident in self._failures.keys() - found.keys():
            del self._failures[ident]

    async def _join(self, ident: str, name: str) -> None:
        """Open a sandbox on the node; when it cannot, remember why and when to ask again."""
        link: NodeLink | None = None
        try:
            async with asyncio.timeout(self._settings.join_seconds):
                link = await self._cluster.open(ident)
                facts: NodeFacts = await link.ask("hello")
            if facts.version != own_version():
                raise SandboxUnavailableError(
                    f"it has Verihub {facts.version}, the driver has {own_version()}: install one version"
                )
            if facts.boxes_per_package < 1:
                raise SandboxUnavailableError(f"it says that a release has {facts.boxes_per_package} boxes there")
        except Exception as error:  # noqa: BLE001 -- whatever it is, this node cannot be used now and the others can
            late = f"it was not ready within {self._settings.join_seconds:g} s; perhaps other programs have its share"
            reason = late if isinstance(error, TimeoutError) else str(error)
            count = self._failures[ident].count + 1 if ident in self._failures else 1
            again_at = _now() + min(_SLOWEST_RETRY_SECONDS, 2.0**count)
            self._failures[ident] = _NodeFailures(f"{name}: {reason}", again_at, count)
            _log.warning("the node %s cannot be used: %s", name, reason)
            if link is not None:
                self._end(link.kill())
            return
        except BaseException:
            if link is not None:
                self._end(link.kill())
            raise
        self._failures.pop(ident, None)
        self._nodes[ident] = Node(ident, name, link, facts, Load(boxes_per_package=facts.boxes_per_package))
        self.counters["joined", name] += 1
        self._wake()

    async def _ask_report(self, node: Node) -> None:
        """Ask for its state. A node that does not answer is lost, even if Ray still lists it."""
        asking = asyncio.ensure_future(node.link.ask("report"))
        try:
            # Twice: after a pause of our own loop the answer is there, though the time is over.
            for seconds in (self._settings.silence_seconds, _SECOND_CHANCE_SECONDS):
                await asyncio.wait([asking], timeout=seconds)
                if asking.done():
                    break
            else:
                self._lose(node, f"the node {node.name} has not answered for {self._settings.silence_seconds:g} s")
                return
            node.report = asking.result()
        except NodeLostError as fault:
            self._lose(node, str(fault))
        except Exception as error:  # noqa: BLE001 -- it answers, so it lives; its last report stays
            _log.warning("the node %s cannot say how it is: %s: %s", node.name, type(error).__name__, error)
        finally:
            asking.cancel()

    def _lose(self, node: Node, reason: str) -> None:
        if self._nodes.get(node.ident) is not node:
            return
        del self._nodes[node.ident]
        node.gone.set_result(reason)
        _log.warning("the node %s was given up: %s", node.name, reason)
        self.counters["lost", node.name] += 1
        again_at = _now() + self._settings.poll_seconds
        self._failures[node.ident] = _NodeFailures(f"{node.name}: {reason}", again_at, 1)
        self._end(node.link.kill())
        self._wake()

    def _end(self, ending: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(ending)
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def _why_none(self) -> str:
        if self._failures:
            reasons = "; ".join(failures.reason for failures in self._failures.values())
            return f"no node can run a sandbox: {reasons}"
        return self._cluster.none_found

    def _wake(self) -> None:
        self._changed.set()
        self._changed.clear()


def _now() -> float:
    """Seconds by the running loop's clock, which its timers follow too."""
    return asyncio.get_running_loop().time()
