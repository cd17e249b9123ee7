"""The boxes of one package under one policy, and the queue in front of them."""

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Awaitable, Iterable
from itertools import count
from typing import Protocol

from sandbox.box import Box, BoxState, Ending, NotStartedError
from sandbox.errors import BoxLostError, GuestFaultError, HostFaultError, ImageMissingError
from sandbox.guest import frames
from sandbox.items import Item
from sandbox.metrics import Metrics
from sandbox.settings import SandboxSettings
from sandbox.troubles import Trouble, trouble_of
from schemas.verdict import ErrorKind

_CANCEL_PATIENCE_SECONDS = 0.25
_BROKEN_SECONDS = 10.0
_STRAYS_ALLOWED = 3
_WINDOW = 2  # feeders a box: the next group lies there when the first ends
_CALLS_AHEAD = 4
_AHEAD_US = 20_000
_SLOW_US = 50_000
_SLOWEST_RETRY_SECONDS = 1.0


class Opener(Protocol):
    """Opens one more box of this lot; the pool's, so that it can count and make room."""

    def __call__(self) -> Awaitable[Box]: ...


class Lot:
    """Feeds groups to boxes; opens boxes while there is work; runs again elsewhere what a lost box had."""

    def __init__(
        self,
        open_box: Opener,
        settings: SandboxSettings,
        metrics: Metrics,
        *,
        label: str,
        max_boxes: int,
        is_single_use: bool = False,
    ) -> None:
        self._open_box = open_box
        self._settings = settings
        self._metrics = metrics
        self._label = label
        self._max_boxes = max(max_boxes, 1)
        self._is_single_use = is_single_use
        self._queue: deque[Item] = deque()
        self._waiting: list[tuple[Box, asyncio.Future[None]]] = []
        self._boxes: set[Box] = set()
        self._opening = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._groups: dict[int, tuple[Box, list[Item]]] = {}
        self._next_group = 0
        self._broken: tuple[float, GuestFaultError | HostFaultError] | None = None
        self._asks_solutions = False
        self._call_us = _SLOW_US / 2
        """A running mean of what one call takes in a box."""
        self._is_closed = False
        self._failing_since: float | None = None
        """Since when no box could be opened, for reasons of the host."""
        self._room = asyncio.Event()
        self._room.set()

    # -- for those who have work -------------------------------------------------------------------------------------

    @property
    def boxes(self) -> set[Box]:
        """The boxes that live now."""
        return self._boxes

    @property
    def queued_count(self) -> int:
        return len(self._queue)

    def record_replay(self, *, differs: bool) -> None:
        """One call was run again and compared."""
        self._metrics.count("replays", self._label)
        self._metrics.count("replay_mismatches", self._label, by=int(differs))

    def submit(self, items: Iterable[Item]) -> None:
        """Queue calls. Their ``deliver`` tells the outcome."""
        self._queue.extend(items)
        self._queue_changed()

    async def room(self) -> None:
        """Wait until the queue is below its limit: the back-pressure for whoever reads calls from somewhere."""
        await self._room.wait()

    def cancel(self, items: Iterable[Item]) -> None:
        """Forget these calls. A box that works for nobody else any more is given a moment, then ended."""
        for item in items:
            item.is_cancelled = True
        self._queue = deque(item for item in self._queue if not item.is_cancelled)
        self._queue_changed()  # there is room again, whether or not a box ever asks for more
        loop = asyncio.get_running_loop()
        for number, (box, group) in list(self._groups.items()):
            if all(item.is_cancelled for item in group):
                loop.call_later(_CANCEL_PATIENCE_SECONDS, self._end_if_still_running, number, box)

    async def ensure(self, count: int) -> list[Box]:
        """Have at least ``count`` boxes ready; raises what keeps them from being so."""
        count = min(count, self._max_boxes)
        missing = count - len(self._boxes)
        if missing > 0:
            self._opening += missing
            try:
                await asyncio.gather(*(self._add_box() for _ in range(missing)))
            finally:
                self._opening -= missing
        return list(self._boxes)

    async def retire_idle(self, older_than_seconds: float) -> int:
        """End boxes that have been idle that long; returns how many."""
        now = time.monotonic()
        idle = [box for box in self._boxes if box.state is BoxState.IDLE and now - box.idle_since >= older_than_seconds]
        for box in idle:
            self._boxes.discard(box)
            await box.kill("idle")
        return len(idle)

    async def aclose(self) -> None:
        """End every box; what is queued is not delivered."""
        self._is_closed = True
        self._queue.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(box.kill("the sandbox is closing") for box in list(self._boxes)))
        self._boxes.clear()

    # -- boxes -------------------------------------------------------------------------------------------------------

    async def _add_box(self) -> Box:
        try:
            box = await self._open_box()
        except GuestFaultError as fault:
            self._broken = (time.monotonic() + _BROKEN_SECONDS, fault)
            raise
        self._broken = self._failing_since = None
        if self._is_closed:
            await box.kill("the sandbox is closing")
            raise BoxLostError("the sandbox is closing")
        self._boxes.add(box)
        box.on_dead = lambda: self._forget(box)
        if box.state is BoxState.DEAD:
            self._forget(box)
        for number in range(1 if self._is_single_use else _WINDOW):
            self._spawn(self._feed(box, number))
        return box

    def _forget(self, box: Box) -> None:
        """A box has died; see that nothing of it stays on the machine."""
        self._boxes.discard(box)
        if not self._is_closed:
            self._spawn(box.kill("it is lost"))
        self._wake(len(self._waiting))
        self._queue_changed()

    def _spawn(self, work: "Awaitable[None]") -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _queue_changed(self) -> None:
        if len(self._queue) >= self._settings.queue_limit:
            self._room.clear()
        else:
            self._room.set()
        if not self._queue or self._is_closed:
            return
        groups = math.ceil(len(self._queue) / self._group_limit(self._queue[0]))
        idle = sum(box.state is BoxState.IDLE for box in self._boxes)
        self._wake(max(groups, min(idle, len(self._queue))))
        wanted = min(self._max_boxes - len(self._boxes), groups - idle) - self._opening
        for _ in range(wanted):
            self._opening += 1
            self._spawn(self._open_for_queue())

    async def _open_for_queue(self) -> None:
        """Open a box for waiting work; when none can be had and none lives, the work is told why."""
        try:
            await self._open_or_fail()
        finally:
            self._opening -= 1
        self._queue_changed()

    async def _open_or_fail(self) -> None:
        if self._broken is not None and time.monotonic() < self._broken[0]:
            self._fail_queue(self._broken[1])
            return
        for attempt in count():
            try:
                await self._add_box()
                return
            except GuestFaultError as fault:
                self._fail_queue(fault)
                return
            except HostFaultError as fault:
                self._metrics.count("engine_errors", self._label)
                if attempt >= self._settings.host_retries and not self._boxes and not self._may_come_back(fault):
                    self._fail_queue(fault)
                    return
            await asyncio.sleep(min(_SLOWEST_RETRY_SECONDS, 0.1 * 2**attempt) * (1 + random.random()))  # noqa: S311 -- jitter
            if self._boxes or not self._queue:
                return

    def _may_come_back(self, fault: HostFaultError) -> bool:
        """Whether an engine that served us before, and now does not, deserves more time: it is perhaps restarting."""
        if isinstance(fault, ImageMissingError):  # it answers, and says no
            return False
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        served_before = self._metrics.total("boxes_opened") > 0
        return served_before and now - self._failing_since < self._settings.engine_patience_seconds

    def _fail_queue(self, fault: GuestFaultError | HostFaultError) -> None:
        queue, self._queue = self._queue, deque()
        for item in queue:
            if not item.is_cancelled:
                self._metrics.count("calls_masked", self._label, by=int(fault.kind is ErrorKind.HOST))
                item.deliver(item, Trouble(fault.kind, str(fault)), 0)
        self._room.set()

    # -- feeding -----------------------------------------------------------------------------------------------------

    def _wake(self, count: int) -> None:
        """Wake that many feeders: one of each box that has nothing to do, then whoever waits longest."""
        first: dict[Box, asyncio.Future[None]] = {}
        others = []
        for box, waiter in self._waiting:
            if waiter.done():
                continue
            if box.load == 0 and box not in first:
                first[box] = waiter
            else:
                others.append((box, waiter))
        order = [*first.items(), *others]
        for _, waiter in order[:count]:
            waiter.set_result(None)
        self._waiting = order[count:]

    def _group_limit(self, item: Item) -> int:
        if item.level == frames.CALL or self._is_single_use:
            return self._calls_ahead()
        return self._settings.worker_calls if item.level == frames.WORKER else self._settings.batch_calls

    async def _take_group(self, box: Box, number: int) -> list[Item]:
        """The next group; empty when this feeder has no more business with the box."""
        while True:
            if not self._may_feed(box, number):
                self._wake(1)  # it may have been woken in another feeder's stead
                return []
            group = self._cut_group(box)
            if group:
                return group
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((box, waiter))
            await waiter

    def _may_feed(self, box: Box, number: int) -> bool:
        if box.state in (BoxState.DEAD, BoxState.DRAINING):
            return False
        return number == 0 or not (self._asks_solutions or self._call_us > _SLOW_US)

    def _calls_ahead(self) -> int:
        """How many forks of their own one feeder sends at a time.

        Several short calls, so that a box never waits for us; one long one, so that no call waits behind it while
        another box has nothing to do.
        """
        if self._asks_solutions or self._is_single_use:
            return 1
        return max(1, min(_CALLS_AHEAD, int(_AHEAD_US / max(1.0, self._call_us))))

    def _fair_share(self, box: Box) -> int:
        """How many of the queued calls one group for ``box`` may have.

        Among boxes that have nothing to do, an equal part each: a group that needs one fork gets one. To lie ready in
        a box that is busy, half of that, so that whoever is done first finds something.
        """
        idle = sum(other.load == 0 for other in self._boxes)
        sharers = idle if box.load == 0 else len(self._boxes) * _WINDOW
        return math.ceil(len(self._queue) / max(1, sharers))

    def _cut_group(self, box: Box) -> list[Item]:
        """Calls of one level and limit from the head of the queue, no more than a fair share for ``box``."""
        queue = self._queue
        while queue and queue[0].is_cancelled:
            queue.popleft()
        if not queue:
            self._room.set()
            return []
        first = queue[0]
        limit = min(self._group_limit(first), self._fair_share(box))
        group: list[Item] = []
        size = 0
        while queue and len(group) < limit:
            item = queue[0]
            if item.level != first.level or item.timeout_seconds != first.timeout_seconds:
                break
            size += len(item.payload) + 4
            if group and size > frames.MAX_REQUEST_BYTES:
                break
            queue.popleft()
            if not item.is_cancelled:
                group.append(item)
        if len(queue) < self._settings.queue_limit:
            self._room.set()
        return group

    async def _feed(self, box: Box, number: int) -> None:
        """Hand groups to one box until it is gone, worn out or stale."""
        while group := await self._take_group(box, number):
            key = self._next_group = self._next_group + 1
            self._groups[key] = (box, group)
            try:
                if not await self._run_in(box, group):
                    return
            except Exception:  # ours: a box without its feeder would look idle and serve nobody
                self._spawn(box.kill("the host failed while it fed this box"))
                raise
            finally:
                del self._groups[key]
        if box.state is BoxState.DRAINING and box.load == 0:
            await box.kill("replaced")

    async def _run_in(self, box: Box, items: list[Item]) -> bool:
        """Run items as one group, or each as a group of its own; False when the box is not to be fed further."""
        level, timeout_seconds = items[0].level, items[0].timeout_seconds
        parts = [[item] for item in items] if level == frames.CALL else [items]
        started = time.monotonic()

        def take(number: int, ending: Ending) -> None:
            part = parts[number]
            self._call_us += (ending.wall_us / len(part) - self._call_us) / 16
            self._metrics.group_ended(
                self._label, level, ending, len(part), queued_at=part[0].queued_at, sent_at=started
            )
            self._asks_solutions = self._asks_solutions or box.asks_solutions
            self._settle(part, ending)
            if self._is_worn(box, ending):
                self._retire(box, ending)

        try:
            futures = box.start([[item.payload for item in part] for part in parts], level, timeout_seconds, take)
        except BoxLostError:
            self._requeue(items)
            return False
        for part, future in zip(parts, futures, strict=True):
            try:
                await future
            except NotStartedError:
                self._requeue(part)
            except HostFaultError as fault:
                self._run_elsewhere(part, fault)
        return box.state is not BoxState.DEAD

    def _is_worn(self, box: Box, ending: Ending) -> bool:
        worn = box.served_count >= self._settings.box_groups or box.age_seconds > self._settings.box_lifetime_seconds
        return self._is_single_use or worn or ending.is_stale or ending.strays > _STRAYS_ALLOWED

    def _retire(self, box: Box, ending: Ending) -> None:
        """Take the box out of service; what its other feeder still has running there may end."""
        if box.state is BoxState.DRAINING:
            return
        self._metrics.count("recycled_stale" if ending.is_stale else "recycled", self._label)
        box.state = BoxState.DRAINING
        self._boxes.discard(box)
        self._wake(len(self._waiting))
        self._queue_changed()
        if box.load == 0:
            self._spawn(box.kill("replaced"))

    def _end_if_still_running(self, number: int, box: Box) -> None:
        if number not in self._groups:
            return
        before = [items for other, (where, items) in self._groups.items() if where is box and other < number]
        if any(not item.is_cancelled for items in before for item in items):  # what runs there now is wanted
            loop = asyncio.get_running_loop()
            loop.call_later(_CANCEL_PATIENCE_SECONDS, self._end_if_still_running, number, box)
            return
        self._metrics.count("cancelled_boxes", self._label)
        self._spawn(box.kill("the calls in it were cancelled"))

    # -- outcomes ----------------------------------------------------------------------------------------------------

    def _run_elsewhere(self, group: list[Item], fault: HostFaultError) -> None:
        """A box was lost. Its calls run again, each alone, so that one of them cannot take the others along twice."""
        self._metrics.count("boxes_lost", self._label)
        again = []
        for item in group:
            item.attempts += 1
            item.level = frames.CALL
            if item.is_cancelled:
                continue
            if item.attempts > self._settings.host_retries:
                self._metrics.count("calls_masked", self._label)
                item.deliver(item, Trouble(ErrorKind.HOST, f"given up after {item.attempts} boxes: {fault}"), 0)
            else:
                again.append(item)
        self._requeue(again)

    def _requeue(self, items: list[Item]) -> None:
        """Back to the head of the queue, in the same order."""
        self._queue.extendleft(reversed([item for item in items if not item.is_cancelled]))
        self._queue_changed()

    def _settle(self, group: list[Item], ending: Ending) -> None:
        if ending.status == frames.RETURNED:
            self._requeue(group)
            return
        if ending.status == frames.FINISHED and not ending.problem and None not in ending.replies:
            for item, reply in zip(group, ending.replies, strict=True):
                if not item.is_cancelled and reply is not None:
                    item.deliver(item, *reply)
            return
        if group[0].level == frames.CALL or (group[0].level == frames.BATCH and len(group) == 1):
            trouble = trouble_of(ending, group[0].timeout_seconds)
            for item in group:
                if not item.is_cancelled:
                    item.deliver(item, trouble, ending.wall_us)
            return
        for item in group:  # a group that ended badly counts for nothing: each of its calls gets a fork of its own
            item.level = frames.CALL
        self._requeue(group)
