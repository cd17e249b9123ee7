"""The call groups that one box works on: their order, their replies so far, their clocks and their requests for
solutions.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sandbox.errors import BoxLostError, TimeLimitError
from sandbox.guest import frames
from sandbox.host.box_limits import BoxLimits
from sandbox.host.clock import Clock, Timer
from sandbox.host.solution_relay import Complete, SolutionRelay, Solve
from schemas.judge_model import JudgeCall

_MAX_GROUP_BYTES = 64 << 20  # of replies; the zygote's own limit is lower
_OVERDUE_SHARE, _OVERDUE_GRACES = 2, 5
"""A call group that runs longer than this must have taken over its zygote, which would otherwise have ended it.
"""

Reply = tuple[bytes, int]
"""The JSON of a reply, and the call's microseconds."""
_log = logging.getLogger(__name__)


class NotStartedError(BoxLostError):
    """The box was lost before it started this call group, which therefore cannot be the cause."""


@dataclass
class CallGroupResult:
    """How one call group ended. ``replies`` by the call's index, None without a reply; ``status`` is a status of
    ``frames``.
    """

    status: int
    detail: int
    replies: list[Reply | None]
    wall_us: int = 0
    cpu_us: int = 0
    max_rss_kb: int = 0
    leftover_processes: int = 0
    is_dirty: bool = False
    """The box could not be cleaned afterwards and runs nothing more."""
    problem: str = ""
    """What broke the protocol, if anything did."""
    reason: str = ""
    """A message that replaces the usual one for its status."""
    unanswered: str = ""
    """Why one of its model calls was not answered. Then none of its replies counts."""
    asked: Sequence[JudgeCall] = ()
    """Its model calls."""

    @property
    def is_complete(self) -> bool:
        """Whether its replies count: it ended as it should, and every call was answered."""
        return self.status == frames.FINISHED and not (self.problem or self.unanswered or None in self.replies)


OnGroupEnd = Callable[[int, CallGroupResult | BoxLostError], None]
"""``on_end(number, result)``: called once for each call group that a box was sent."""


class CallGroupRun:
    """A call group that was sent to a box. Times are in seconds of the box's clock."""

    def __init__(self, number: int, count: int, timeout_seconds: float, on_end: OnGroupEnd) -> None:
        self.timeout_seconds = timeout_seconds
        self.count = count
        self.relay: SolutionRelay | None = None
        """Made at its first request for a solution."""
        self._number = number
        self._on_end: OnGroupEnd | None = on_end
        self._reader = frames.ReplyReader(count)
        self._replies: list[Reply | None] = [None] * count
        self._received = 0
        self._problem = ""
        self._began_at = self._progress_at = 0.0

    def begin(self, now: float) -> None:
        """Start the clocks: the box now works on this call group."""
        self._began_at = self._progress_at = now

    def progressed(self, now: float) -> None:
        """Restart the clock of one call: the last call was answered, or its solution came."""
        self._progress_at = now

    def take_replies(self, payload: bytes) -> None:
        """Take a part of its reply stream. Errors in the stream come from the child process, so they affect only this
        call group.
        """
        self._received += len(payload)
        if self._received > _MAX_GROUP_BYTES:
            self._problem = f"replies of more than {_MAX_GROUP_BYTES} bytes"
        if self._problem:
            return
        try:
            for index, microseconds, reply in self._reader.feed(payload):
                if self._replies[index] is not None:
                    raise frames.ProtocolError("a call answered twice")
                self._replies[index] = (reply, microseconds)
        except frames.ProtocolError as error:
            self._problem = str(error)

    def result(self, outcome: frames.Outcome) -> CallGroupResult | BoxLostError:
        """The result, made of the outcome that the box reported and the replies. It says so if a fault of ours lost a
        solution.
        """
        if self.relay is not None and self.relay.host_fault:
            return BoxLostError(self.relay.host_fault)
        status, detail, wall_us, cpu_us, rss, leftover, dirty = outcome
        reason = ""
        if self.relay is not None and self.relay.output_fault:
            status, detail, reason = frames.FLOODED, 0, self.relay.output_fault
        problem = self._problem
        if not problem and status == frames.FINISHED and not self._reader.is_empty:
            problem = "half a reply"
        ended = CallGroupResult(
            status, detail, self._replies, wall_us, cpu_us, rss, leftover, bool(dirty), problem, reason
        )
        if self.relay is None:
            return ended
        return replace(ended, unanswered=self.relay.model_fault, asked=tuple(self.relay.asked))

    def timed_out(self, now: float, reason: str) -> CallGroupResult:
        """The result of a call group that the host ends."""
        return CallGroupResult(
            frames.TIMED_OUT, 0, self._replies, wall_us=int((now - self._began_at) * 1e6), reason=reason
        )

    def broken(self, now: float, problem: str) -> CallGroupResult:
        """The result of a call group whose box broke the protocol."""
        return CallGroupResult(
            frames.BROKEN, 0, self._replies, wall_us=int((now - self._began_at) * 1e6), problem=problem
        )

    def seconds_without_progress(self, now: float) -> float:
        return now - self._progress_at

    def seconds_overdue(self, now: float, grace_seconds: float) -> float:
        """For how many seconds it has run beyond the longest time that is allowed, whatever progress it reports.

        The zygote ends a call group after the limit of one call times the number of calls. Its clock stops while a
        solution runs.
        """
        allowed = _OVERDUE_SHARE * self.timeout_seconds * self.count + _OVERDUE_GRACES * grace_seconds
        stood_still = self.relay.busy_seconds if self.relay is not None else 0.0
        return now - self._began_at - stood_still - allowed

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a solution."""
        return self.relay is not None and self.relay.is_busy

    def end(self, result: CallGroupResult | BoxLostError) -> None:
        """Tell the sender the result. Only the first call has an effect."""
        if self.relay is not None:
            self.relay.cancel()
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end(self._number, result)


class RunningCallGroups:
    """The unfinished call groups of a box, in their order, and the clock of the first one.

    ``end_box(reason, of_head)`` is called when the box must be ended; ``of_head`` makes the result of the call group at
    the head, if that is to blame. Then :meth:`fail` tells the senders of all.
    """

    def __init__(
        self,
        clock: Clock,
        limits: BoxLimits,
        solve: Solve | None,
        complete: Complete | None,
        send: Callable[[int, int, bytes], None],
        end_box: "EndBox",
    ) -> None:
        self.asks_solutions = False
        """Whether one of them has asked for a solution."""
        self.count = 0
        """How many call groups it has been sent so far."""
        self._clock = clock
        self._limits = limits
        self._solve = solve
        self._complete = complete
        self._send = send
        self._end_box = end_box
        self._running: dict[int, CallGroupRun] = {}
        self._order: deque[int] = deque()
        self._watchdog: Timer | None = None
        self._look_at = 0.0

    def __len__(self) -> int:
        return len(self._running)

    def add(self, groups: list[list[bytes]], level: int, timeout_seconds: float, on_end: OnGroupEnd) -> bytes:
        """Append call groups; returns the frames to send."""
        is_first = not self._order
        sent = []
        for number, calls in enumerate(groups):
            self.count += 1
            self._running[self.count] = CallGroupRun(number, len(calls), timeout_seconds, on_end)
            self._order.append(self.count)
            sent.append(frames.pack_run(self.count, level, max(1, int(timeout_seconds * 1000)), calls))
        if is_first:
            self._watch_head()
        return sent[0] if len(sent) == 1 else b"".join(sent)

    # -- frames of the box: all raise ProtocolError for an invalid frame ----------------------------------------------

    def take_chunk(self, ident: int, payload: bytes) -> None:
        """Part of a call group's replies."""
        running = self._group(ident)
        running.progressed(self._clock.now())
        running.take_replies(payload)

    def take_done(self, ident: int, payload: bytes) -> frames.Outcome:
        """Take the end of a call group, and tell its sender."""
        running = self._group(ident)
        outcome = frames.unpack_outcome(payload)
        del self._running[ident]
        # while the first one waits for a solution, the box returns the others unstarted
        was_head = self._order[0] == ident
        self._order.remove(ident)
        _tell(running, running.result(outcome))
        if was_head:
            self._watch_head()
        return outcome

    def take_ask(self, ident: int, payload: bytes) -> None:
        """Part of a request for a solution."""
        running = self._group(ident)
        if ident != self._order[0]:
            raise frames.ProtocolError("a request for a solution by a group whose turn it is not")
        self.asks_solutions = True
        if running.relay is None:
            allowance = self._limits.allowance(running.timeout_seconds, running.count)
            answer = partial(self._answer_ask, ident)
            running.relay = SolutionRelay(self._solve, answer, self._clock, allowance, self._complete)
        try:
            running.relay.take_part(payload)
        except TimeLimitError as limit:
            self._end_box(str(limit), partial(CallGroupRun.timed_out, reason=str(limit)))

    def _answer_ask(self, ident: int, reply: bytes) -> None:
        """Send the answer to the box. The clock of the call group that asked runs again."""
        if ident in self._running:
            self._running[ident].progressed(self._clock.now())
        self._send(frames.SOLVED, ident, reply)

    def _group(self, ident: int) -> CallGroupRun:
        running = self._running.get(ident)
        if running is None:
            raise frames.ProtocolError(f"an answer to group {ident}, which was not asked")
        return running

    # -- clock and end -------------------------------------------------------------------------------------------------

    def fail(self, reason: str, of_head: "OfHead | None") -> None:
        """Tell all senders that the box is gone. The call group at the head was lost, or ended as ``of_head`` says; the
        others had not begun.
        """
        if self._watchdog is not None:
            self._watchdog.cancel()
        groups = [self._running[ident] for ident in self._order]
        self._running.clear()
        self._order.clear()
        for group in groups[:1]:
            _tell(group, of_head(group, self._clock.now()) if of_head is not None else BoxLostError(reason))
        for group in groups[1:]:
            _tell(group, NotStartedError(reason))

    def _watch_head(self) -> None:
        """Start the clock of the call group that is now at the head."""
        if self._order:
            head = self._running[self._order[0]]
            now = self._clock.now()
            head.begin(now)
            self._watch(now, head.timeout_seconds + self._limits.grace_seconds)

    def _watch(self, now: float, seconds: float) -> None:
        """Call :meth:`_look` in at most so many seconds. A timer of an earlier call group is kept, and a look that
        comes too early sets the timer again: one timer for each call group would cost more.
        """
        if self._watchdog is not None:
            if self._look_at <= now + seconds:
                return
            self._watchdog.cancel()
        self._look_at = now + seconds
        self._watchdog = self._clock.call_later(seconds, self._look)

    def _look(self) -> None:
        """Check the clock. A box without progress is lost. A call group that only seems to progress is ended when its
        whole time is over.

        While a solution is under way the call group's clocks stand still; the relay has a clock of its own.
        """
        self._watchdog = None
        if not self._order:
            return
        head = self._running[self._order[0]]
        grace_seconds = self._limits.grace_seconds
        allowed = head.timeout_seconds + grace_seconds
        now = self._clock.now()
        if head.is_waiting:
            self._watch(now, allowed)
            return
        left = allowed - head.seconds_without_progress(now)
        overdue = head.seconds_overdue(now, grace_seconds)
        if left <= 0:
            self._end_box(f"the box did not end a call {grace_seconds:g} s after its deadline", None)
        elif overdue >= 0:
            reason = "the call went on long after its box should have ended it"
            self._end_box(reason, partial(CallGroupRun.timed_out, reason=reason))
        else:
            self._watch(now, min(left, -overdue) + 0.01)


OfHead = Callable[[CallGroupRun, float], CallGroupResult]
"""``of_head(run, now)``: the result of the call group at the head, when the host ends the box because of it."""
EndBox = Callable[[str, OfHead | None], None]


def _tell(group: CallGroupRun, result: CallGroupResult | BoxLostError) -> None:
    """Tell one sender. If its callback fails, the box and the other call groups go on."""
    try:
        group.end(result)
    except Exception:  # noqa: BLE001 -- the sender's error, which the sender has to handle
        _log.exception("whoever sent a call group failed while it was told of its end")
