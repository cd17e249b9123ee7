"""Sends the queued calls of one release to its boxes, and runs the calls of a lost box again in another.

The way of a call: ``CallQueue`` -> ``Dispatcher`` (chooses box and number) -> ``SentBatches`` -> a box. The way back:
the box reports the end of a call group, ``SentBatches`` finds its calls, and ``Dispatcher`` delivers their outcomes or
queues them again.
"""

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count

from sandbox.errors import BoxLostError, GuestFaultError, HostFaultError, host_failure
from sandbox.guest import frames
from sandbox.host.background import background
from sandbox.host.box import Box, BoxState
from sandbox.host.call_group_run import CallGroupResult, NotStartedError
from sandbox.host.call_groups import (
    CallError,
    CallQueue,
    Pace,
    QueuedCall,
    Told,
    batch_limit,
    boxes_wanted,
    by_reader,
    call_groups_of,
    fair_share,
    is_gathering,
    tell,
)
from sandbox.host.call_retries import Decision, after_end, after_loss
from sandbox.host.clock import Clock, Timer
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.release_boxes import ReleaseBoxes
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

_CANCEL_PATIENCE_SECONDS = 0.25  # a call that ends meanwhile leaves its box warm for the next
_log = logging.getLogger(__name__)


class SentBatch:
    """The calls that were sent to one box together, as call groups that end one by one."""

    __slots__ = ("box", "groups", "left", "sent_at")

    def __init__(self, box: Box, groups: list[list[QueuedCall]], sent_at: float) -> None:
        self.box = box
        self.groups = groups
        self.left = len(groups)
        self.sent_at = sent_at

    @property
    def is_wanted(self) -> bool:
        """Whether a caller still waits for one of its calls."""
        return any(call.is_open for group in self.groups for call in group)


class SentBatches:
    """The batches that the boxes of one release work on.

    ``on_result(batch, calls, result)`` is called at the end of each call group, ``on_end()`` at the end of a batch, and
    ``on_unwanted(box)`` for a box whose calls are all cancelled.
    """

    def __init__(
        self,
        clock: Clock,
        on_result: Callable[[SentBatch, list[QueuedCall], CallGroupResult | BoxLostError], None],
        on_end: Callable[[], None],
        on_unwanted: Callable[[Box], None],
    ) -> None:
        self._clock = clock
        self._on_result = on_result
        self._on_end = on_end
        self._on_unwanted = on_unwanted
        self._batches: dict[int, SentBatch] = {}
        self._held: Counter[Box] = Counter()
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._batches)

    def freest(self, boxes: Iterable[Box], window: int) -> Box | None:
        """The box with the fewest batches below ``window``; of several, the one that has been free longest."""
        held = self._held
        best, best_key = None, (window, 0.0)
        for box in boxes:
            key = held.get(box, 0), box.idle_since
            if key[0] < window and (best is None or key < best_key):
                best, best_key = box, key
        return best

    def send(self, box: Box, calls: list[QueuedCall]) -> None:
        """Send calls to ``box``. Raises BoxLostError if the box is gone; then nothing was sent."""
        now = self._clock.now()
        batch = SentBatch(box, call_groups_of(calls), now)
        number = next(self._numbers)
        for call in calls:
            call.first_sent_at = call.first_sent_at or now
        self._batches[number] = batch
        self._held[box] += 1
        try:
            payloads = [[call.payload for call in group] for group in batch.groups]
            box.start(payloads, calls[0].level, calls[0].timeout_seconds, partial(self._group_ended, number))
        except BaseException:
            self._forget(number)
            raise

    def end_unwanted(self) -> None:
        """End boxes whose calls are all cancelled, after a short delay."""
        for number, batch in self._batches.items():
            if not batch.is_wanted:
                self._clock.call_later(_CANCEL_PATIENCE_SECONDS, partial(self._end_if_unwanted, number))

    def _end_if_unwanted(self, number: int) -> None:
        """End the box of a cancelled batch, unless it now runs an earlier batch that is wanted."""
        batch = self._batches.get(number)
        if batch is None:
            return
        before = [other for n, other in self._batches.items() if n < number and other.box is batch.box]
        if any(other.is_wanted for other in before):
            self._clock.call_later(_CANCEL_PATIENCE_SECONDS, partial(self._end_if_unwanted, number))
        else:
            self._on_unwanted(batch.box)

    def _group_ended(self, number: int, index: int, result: CallGroupResult | BoxLostError) -> None:
        batch = self._batches.get(number)
        if batch is None:  # sending it failed, and its calls have got their outcome
            return
        self._on_result(batch, batch.groups[index], result)
        batch.left -= 1
        if not batch.left:
            self._forget(number)
            self._on_end()

    def _forget(self, number: int) -> None:
        batch = self._batches.pop(number)
        self._held[batch.box] -= 1
        if not self._held[batch.box]:
            del self._held[batch.box]


class Callers:
    """Delivers outcomes to callers. A callback that fails affects neither boxes nor other callers."""

    def __init__(self, metrics: SandboxMetrics, label: str) -> None:
        self._metrics = metrics
        self._label = label

    def tell(self, told: Sequence[Told]) -> None:
        """Deliver the outcome of each call that is not cancelled, once."""
        for together in by_reader(told):
            masked = sum(
                isinstance(outcome, CallError) and outcome.kind is ErrorKind.HOST for _, outcome, _ in together
            )
            if masked:
                self._metrics.count("calls_masked", self._label, by=masked)
            try:
                tell(together)
            except Exception:  # noqa: BLE001 -- an error of the caller's own code
                _log.exception("a caller failed while it was told of its calls")

    def fail(self, calls: Iterable[QueuedCall], fault: GuestFaultError | HostFaultError) -> None:
        """Deliver ``fault`` as the outcome of all ``calls``."""
        error = CallError(fault.kind, str(fault))
        self.tell([(call, error, 0) for call in calls])


class Dispatcher:
    """Sends calls in the order in which they came, each to the box with the least work.

    Every call that is not cancelled gets exactly one outcome; a failure of our own code is an outcome too. ``queue``
    has room for a limited number of calls, for which readers of streams wait before they submit.
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
        self.queue = CallQueue(settings)
        self.metrics = metrics
        self.label = label
        self.clock = clock
        self._settings = settings
        self._pace = Pace(is_single_use)
        self._sent = SentBatches(clock, self._take_result, self._schedule, self._end_unwanted)
        self._callers = Callers(metrics, label)
        self._is_scheduled = self._is_closed = False
        self._next_look: Timer | None = None
        boxes.on_change, boxes.on_failure = self._queue_changed, self._fail_queue
        boxes.has_work = lambda: bool(self.queue)

    # -- for callers -------------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether it holds neither calls nor boxes."""
        return not (self.queue or self._sent or self.boxes.alive or self.boxes.opening)

    def submit(self, calls: Iterable[QueuedCall]) -> None:
        """Queue calls. Their ``deliver`` tells the outcome."""
        self.queue.append(calls, self.clock.now())
        self._queue_changed()

    def cancel(self, calls: Iterable[QueuedCall]) -> None:
        """Cancel these calls. A box that then has only cancelled calls is ended after a short delay."""
        for call in calls:
            call.is_cancelled = True
        self.queue.drop_cancelled()
        self._queue_changed()  # wake readers now, since no box may take calls from the queue for a while
        self._sent.end_unwanted()

    async def aclose(self) -> None:
        """End every box. The outcome of all unfinished calls is that the sandbox is closing."""
        self._is_closed = True
        self._queue_changed()
        await self.boxes.aclose()

    # -- handing out -------------------------------------------------------------------------------------------------

    def _queue_changed(self) -> None:
        """Called when calls or boxes have come or gone: open boxes for the waiting calls, and send calls after this
        turn of the event loop.

        Calls that are submitted one by one within one turn thus share a call group.
        """
        if self._is_closed:
            self._fail_queue(BoxLostError("the sandbox is closing"))
        self.queue.tell_of_room()
        if not self.queue:
            return
        serving = self.boxes.serving
        wanted = boxes_wanted(
            math.ceil(len(self.queue) / batch_limit(self.queue.head.level, self._pace, self._settings)),
            idle=sum(box.state is BoxState.IDLE for box in serving),
            alive=len(serving),
            opening=self.boxes.opening,
            most=self.boxes.most,
        )
        if wanted:
            self.boxes.open_for_work(wanted)
        self._schedule()

    def _schedule(self) -> None:
        if self.queue and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._hand_out)

    def _hand_out(self) -> None:
        """Hand queued calls to boxes."""
        self._is_scheduled = False
        try:
            while self.queue and (box := self._sent.freest(self.boxes.serving, self._pace.window)) is not None:
                share = self._share(box)
                if not share:
                    break
                if batch := self.queue.cut(share):
                    self._send(box, batch)
        except Exception as error:  # noqa: BLE001 -- a bug of ours: callers get it as an error
            _log.exception("the sandbox failed while it handed out calls of %s", self.label)
            self._fail_queue(host_failure(error))
        self.queue.tell_of_room()

    def _share(self, box: Box) -> int:
        """How many calls ``box`` gets now. None if it is better to wait for more calls.

        Calls wait beside an idle box only while another box works, and no longer than a fork takes.
        """
        queue, head, is_idle = self.queue, self.queue.head, not box.groups
        limit = batch_limit(head.level, self._pace, self._settings)
        most = limit // 2 if is_idle else limit  # two idle boxes share what would be one call group
        worth = self._pace.worth_a_fork(most) if head.level == frames.BATCH else 1
        seconds_left = head.queued_at + self._pace.fork_us / 1e6 - self.clock.now() if self._sent else 0.0
        awaited = worth if seconds_left > 0 else 1
        if is_gathering(head.level, len(queue), limit, is_idle=is_idle, worth=awaited):
            if is_idle and self._next_look is None:
                self._next_look = self.clock.call_later(seconds_left, self._look)
            return 0
        serving = self.boxes.serving
        idle = sum(not other.groups for other in serving)
        share = fair_share(len(queue), idle_boxes=idle, all_boxes=len(serving), is_idle=is_idle, worth=worth)
        return min(limit, share)

    def _look(self) -> None:
        self._next_look = None
        self._schedule()

    def _send(self, box: Box, calls: list[QueuedCall]) -> None:
        try:
            self._sent.send(box, calls)
        except BoxLostError:  # it died before it had these calls, so they may run elsewhere
            self._requeue(calls)
        except BaseException as error:  # of ours: its callers once waited for ever, because nobody told them
            background(box.kill("the host failed while it sent calls to this box"))
            self._callers.fail(calls, host_failure(error))
            raise

    # -- what comes back ---------------------------------------------------------------------------------------------

    def _take_result(self, batch: SentBatch, group: list[QueuedCall], result: CallGroupResult | BoxLostError) -> None:
        try:
            decision = self._decide(batch, group, result)
            self._callers.tell(decision.told)
            if decision.again:
                self._requeue(decision.again)
        except Exception as error:  # noqa: BLE001 -- a bug of ours: callers get it as an error
            _log.exception("the sandbox failed while it took an answer of %s", self.label)
            self._callers.fail([call for call in group if call not in self.queue], host_failure(error))
            background(batch.box.kill("the host failed while it took this box's answer"))

    def _decide(self, batch: SentBatch, group: list[QueuedCall], result: CallGroupResult | BoxLostError) -> Decision:
        if isinstance(result, NotStartedError):
            return Decision(again=group)
        if isinstance(result, BoxLostError):
            # otherwise only a solution could not be run, and its verifier's box can go on
            if batch.box.state is BoxState.DEAD:
                self.metrics.count("boxes_lost", self.label)
            return after_loss(group, result, self._settings.host_retries)
        self._pace.saw(result.wall_us, len(group))
        if group[0].level == frames.BATCH and result.is_complete:
            self._pace.saw_fork(result.wall_us, [reply[1] for reply in result.replies if reply is not None])
        self._pace.asks_solutions = self._pace.asks_solutions or batch.box.groups.asks_solutions
        queued_at, now = group[0].queued_at, self.clock.now()
        self.metrics.group_ended(
            self.label,
            group[0].level,
            result,
            len(group),
            queue_seconds=batch.sent_at - queued_at,
            total_seconds=now - queued_at,
        )
        return after_end(group, result)

    def _requeue(self, calls: Sequence[QueuedCall]) -> None:
        self.queue.put_back(calls)
        self._queue_changed()

    def _fail_queue(self, fault: GuestFaultError | HostFaultError) -> None:
        self._callers.fail(self.queue.take_all(), fault)

    def _end_unwanted(self, box: Box) -> None:
        self.metrics.count("cancelled_boxes", self.label)
        background(box.kill("the calls in it were cancelled"))
