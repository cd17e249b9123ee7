"""The queue of one release under one policy: hands calls to boxes, and runs again elsewhere what a lost box had."""

import asyncio
import logging
import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import count

from sandbox.errors import BoxLostError, GuestFaultError, HostFaultError, host_failure
from sandbox.guest import frames
from sandbox.host.background import background
from sandbox.host.box import Box, BoxState
from sandbox.host.clock import Clock, Timer
from sandbox.host.group_run import GroupResult, NotStartedError
from sandbox.host.groups import (
    CallError,
    Decision,
    Pace,
    QueuedCall,
    Told,
    after_end,
    after_loss,
    batch_limit,
    boxes_wanted,
    by_reader,
    cut_batch,
    fair_share,
    groups_of,
    is_gathering,
    tell,
)
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.release_boxes import ReleaseBoxes
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

_CANCEL_PATIENCE_SECONDS = 0.25
_LEFTOVERS_ALLOWED = 3
_log = logging.getLogger(__name__)


class _Batch:
    """Calls that one box was sent at once, as groups that end one by one."""

    __slots__ = ("box", "groups", "left", "sent_at")

    def __init__(self, box: Box, groups: list[list[QueuedCall]], sent_at: float) -> None:
        self.box = box
        self.groups = groups
        self.left = len(groups)
        self.sent_at = sent_at

    @property
    def is_wanted(self) -> bool:
        return any(call.is_open for group in self.groups for call in group)


class Dispatcher:
    """Calls are handed out in the order in which they came, to the box that has least to do.

    Every call that is not cancelled is told exactly one outcome, whatever happens: a failure of ours is an outcome too.
    """

    def __init__(
        self,
        boxes: ReleaseBoxes,
        settings: SandboxSettings,
        metrics: SandboxMetrics,
        clock: Clock,
        *,
        label: str,
        is_single_use: bool = False,
    ) -> None:
        self.boxes = boxes
        self.clock = clock
        self._settings = settings
        self._metrics = metrics
        self._label = label
        self._is_single_use = is_single_use
        self._pace = Pace()
        self._queue: deque[QueuedCall] = deque()
        self._queued_bytes = 0
        self._batches: dict[int, _Batch] = {}
        self._batches_in: Counter[Box] = Counter()
        self._numbers = count()
        self._is_scheduled = self._is_closed = False
        self._next_look: Timer | None = None
        self._room = asyncio.Event()
        self._room.set()
        boxes.on_change, boxes.on_failure, boxes.has_work = self._queue_changed, self._fail_queue, self._has_work

    # -- for those who have work -------------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether it holds neither calls nor boxes."""
        return not (self._queue or self._batches or self.boxes.alive or self.boxes.opening)

    def record_replay(self, *, differs: bool) -> None:
        """One call was run again and compared."""
        self._metrics.count("replays", self._label)
        self._metrics.count("replay_mismatches", self._label, by=int(differs))

    def submit(self, calls: Iterable[QueuedCall]) -> None:
        """Queue calls. Their ``deliver`` tells the outcome."""
        now = self.clock.now()
        for call in calls:
            call.queued_at = now
            self._queue.append(call)
            self._queued_bytes += len(call.payload)
        if self._is_closed:
            self._fail_queue(BoxLostError("the sandbox is closing"))
        self._queue_changed()

    @property
    def has_room(self) -> bool:
        """Whether the queue is below its limits."""
        return len(self._queue) < self._settings.queue_limit and self._queued_bytes < self._settings.queue_mb << 20

    async def wait_for_room(self) -> None:
        """Wait until the queue is below its limit: the back-pressure for whoever reads calls from somewhere."""
        while not self.has_room:  # again: of all that waited, the first may have filled it
            self._room.clear()
            await self._room.wait()

    def cancel(self, calls: Iterable[QueuedCall]) -> None:
        """Forget these calls. A box that works for nobody else any more is given a moment, then ended."""
        for call in calls:
            call.is_cancelled = True
        self._queue = deque(call for call in self._queue if call.is_open)
        self._queued_bytes = sum(len(call.payload) for call in self._queue)
        self._queue_changed()  # there is room again, whether or not a box ever asks for more
        for number, batch in self._batches.items():
            if not batch.is_wanted:
                self.clock.call_later(_CANCEL_PATIENCE_SECONDS, partial(self._end_unwanted, number))

    async def aclose(self) -> None:
        """End every box. Calls that are queued or under way are told that the sandbox closes."""
        self._is_closed = True
        self._fail_queue(BoxLostError("the sandbox is closing"))
        await self.boxes.aclose()

    # -- handing out -------------------------------------------------------------------------------------------------

    def _has_work(self) -> bool:
        return bool(self._queue)

    def _queue_changed(self) -> None:
        """Calls came or went, or a box did: open boxes for what waits now, and hand out when this turn is over.

        What is submitted one by one within a turn of the event loop thus shares a group.
        """
        self._tell_of_room()
        if not self._queue or self._is_closed:
            return
        serving = self.boxes.serving
        wanted = boxes_wanted(
            math.ceil(len(self._queue) / self._batch_limit(self._queue[0])),
            idle=sum(box.state is BoxState.IDLE for box in serving),
            alive=len(serving),
            opening=self.boxes.opening,
            most=self.boxes.most,
        )
        if wanted:
            self.boxes.open_for_work(wanted)
        self._schedule()

    def _tell_of_room(self) -> None:
        if not self._queue:
            self._queued_bytes = 0  # calls that were cancelled on the way are not missed
        if self.has_room:
            self._room.set()

    def _schedule(self) -> None:
        if self._queue and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._hand_out)

    def _batch_limit(self, call: QueuedCall) -> int:
        return 1 if self._is_single_use else batch_limit(call.level, self._pace, self._settings)

    def _hand_out(self) -> None:
        """Give boxes what they may have of the queue."""
        self._is_scheduled = False
        try:
            while self._queue and (box := self._freest_box()) is not None:
                limit = self._batch_limit(self._queue[0])
                worth = self._pace.worth_a_fork(limit) if self._queue[0].level == frames.BATCH else 1
                awaited = worth if self._may_wait() else 1
                is_idle = box.load == 0
                if is_gathering(self._queue[0].level, len(self._queue), limit, is_idle=is_idle, worth=awaited):
                    if is_idle:
                        self._look_later()
                    break
                batch = cut_batch(self._queue, min(limit, self._share_of(box, worth)))
                self._queued_bytes -= sum(len(call.payload) for call in batch)
                if batch:
                    self._send(box, batch)
        except Exception as error:  # noqa: BLE001 -- ours: whoever waits is told
            _log.exception("the sandbox failed while it handed out calls of %s", self._label)
            self._fail_queue(host_failure(error))
        self._tell_of_room()

    def _freest_box(self) -> Box | None:
        """The box with the fewest batches below its window; of several, the one that has been free longest."""
        window = 1 if self._is_single_use else self._pace.window
        held = self._batches_in
        best, best_key = None, (window, 0.0)
        for box in self.boxes.serving:
            key = held.get(box, 0), box.idle_since
            if key[0] < window and (best is None or key < best_key):
                best, best_key = box, key
        return best

    def _share_of(self, box: Box, worth: int) -> int:
        serving = self.boxes.serving
        idle = sum(other.load == 0 for other in serving)
        queued, is_idle = len(self._queue), box.load == 0
        return fair_share(queued, idle_boxes=idle, all_boxes=len(serving), is_idle=is_idle, worth=worth)

    def _may_wait(self) -> bool:
        """Whether calls may wait for more beside an idle box: while another works, and no longer than a fork takes."""
        return bool(self._batches) and self._seconds_to_wait() > 0

    def _seconds_to_wait(self) -> float:
        return self._queue[0].queued_at + self._pace.fork_us / 1e6 - self.clock.now()

    def _look_later(self) -> None:
        if self._next_look is None:
            self._next_look = self.clock.call_later(self._seconds_to_wait(), self._look)

    def _look(self) -> None:
        self._next_look = None
        self._schedule()

    def _send(self, box: Box, calls: list[QueuedCall]) -> None:
        now = self.clock.now()
        batch = _Batch(box, groups_of(calls), now)
        number = next(self._numbers)
        for call in calls:
            call.first_sent_at = call.first_sent_at or now
        self._batches[number] = batch
        self._batches_in[box] += 1
        try:
            payloads = [[call.payload for call in group] for group in batch.groups]
            box.start(payloads, calls[0].level, calls[0].timeout_seconds, partial(self._group_ended, number))
        except BaseException as error:
            self._forget(number)
            if not isinstance(error, BoxLostError):
                background(box.kill("the host failed while it sent calls to this box"))
                self._give_up(calls, error)
                raise
            self._requeue(calls)

    def _forget(self, number: int) -> None:
        batch = self._batches.pop(number)
        self._batches_in[batch.box] -= 1
        if not self._batches_in[batch.box]:
            del self._batches_in[batch.box]

    # -- what comes back ---------------------------------------------------------------------------------------------

    def _group_ended(self, number: int, index: int, result: GroupResult | BoxLostError) -> None:
        batch = self._batches.get(number)
        if batch is None:  # it could not be sent as a whole, and its calls have been told
            return
        group = batch.groups[index]
        try:
            self._settle(self._decide(batch, group, result))
            if isinstance(result, GroupResult):
                self._replace_if_worn(batch.box, result)
        except Exception as error:  # noqa: BLE001 -- ours: whoever waits is told
            _log.exception("the sandbox failed while it took an answer of %s", self._label)
            self._give_up(group, error)
            background(batch.box.kill("the host failed while it took this box's answer"))
        batch.left -= 1
        if not batch.left:
            self._forget(number)
            self._schedule()

    def _decide(self, batch: _Batch, group: list[QueuedCall], result: GroupResult | BoxLostError) -> Decision:
        if isinstance(result, NotStartedError):
            return Decision(again=group)
        if isinstance(result, BoxLostError):
            self._metrics.count("boxes_lost", self._label)
            return after_loss(group, result, self._settings.host_retries)
        self._pace.saw(result.wall_us, len(group))
        if group[0].level == frames.BATCH and result.is_complete:
            self._pace.saw_fork(result.wall_us, [reply[1] for reply in result.replies if reply is not None])
        self._pace.asks_solutions = self._pace.asks_solutions or batch.box.asks_solutions
        queued_at, now = group[0].queued_at, self.clock.now()
        self._metrics.group_ended(
            self._label,
            group[0].level,
            result,
            len(group),
            queue_seconds=batch.sent_at - queued_at,
            total_seconds=now - queued_at,
        )
        return after_end(group, result)

    def _settle(self, decision: Decision) -> None:
        self._tell(decision.told)
        if decision.again:
            self._requeue(decision.again)

    def _tell(self, told: Sequence[Told]) -> None:
        """A caller that fails while it is told harms neither the box nor other callers."""
        for together in by_reader(told):
            masked = sum(
                isinstance(outcome, CallError) and outcome.kind is ErrorKind.HOST for _, outcome, _ in together
            )
            if masked:
                self._metrics.count("calls_masked", self._label, by=masked)
            try:
                tell(together)
            except Exception:  # noqa: BLE001 -- whatever it was, it is theirs
                _log.exception("a caller failed while it was told of its calls")

    def _fail(self, calls: Iterable[QueuedCall], fault: GuestFaultError | HostFaultError) -> None:
        error = CallError(fault.kind, str(fault))
        self._tell([(call, error, 0) for call in calls])

    def _requeue(self, calls: Sequence[QueuedCall]) -> None:
        """Back to the head of the queue, in the same order."""
        again = [call for call in calls if call.is_open]
        self._queue.extendleft(reversed(again))
        self._queued_bytes += sum(len(call.payload) for call in again)
        if self._is_closed:
            self._fail_queue(BoxLostError("the sandbox is closing"))
        self._queue_changed()

    def _give_up(self, calls: list[QueuedCall], error: BaseException) -> None:
        """Tell whoever still waits for one of these calls that we failed."""
        queued = set(map(id, self._queue))
        self._fail([call for call in calls if id(call) not in queued], host_failure(error))

    def _fail_queue(self, fault: GuestFaultError | HostFaultError) -> None:
        queue, self._queue, self._queued_bytes = self._queue, deque(), 0
        self._fail(queue, fault)
        self._room.set()

    # -- boxes whose time has come -----------------------------------------------------------------------------------

    def _replace_if_worn(self, box: Box, result: GroupResult) -> None:
        settings = self._settings
        is_worn = (
            self._is_single_use
            or result.is_dirty
            or result.leftover_processes > _LEFTOVERS_ALLOWED
            or box.served_count >= settings.box_groups
            or box.age_seconds > settings.box_lifetime_seconds
        )
        if is_worn and box.serves:
            self._metrics.count("recycled_dirty" if result.is_dirty else "recycled", self._label)
            box.retire()

    def _end_unwanted(self, number: int) -> None:
        """Nobody waits for this batch: end its box, unless what runs there now, before it, is wanted."""
        batch = self._batches.get(number)
        if batch is None:
            return
        before = [other for n, other in self._batches.items() if n < number and other.box is batch.box]
        if any(other.is_wanted for other in before):
            self.clock.call_later(_CANCEL_PATIENCE_SECONDS, partial(self._end_unwanted, number))
            return
        self._metrics.count("cancelled_boxes", self._label)
        background(batch.box.kill("the calls in it were cancelled"))
