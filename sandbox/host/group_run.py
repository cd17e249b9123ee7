"""One group of calls in one box: what it has answered so far, its clocks, its requests for solutions."""

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.errors import BoxLostError
from sandbox.guest import frames
from sandbox.host.solution_relay import SolutionRelay

_MAX_GROUP_BYTES = 64 << 20  # of replies; the zygote's own limit is lower
_OVERDUE_SHARE, _OVERDUE_GRACES = 2, 5
"""A group that still runs after so many times its own limit has subverted its zygote, which would have ended it."""

Reply = tuple[bytes, int]
"""JSON and the microseconds that it took."""


class NotStartedError(BoxLostError):
    """The box was lost before it came to this group, which therefore cannot be what killed it."""


@dataclass
class GroupResult:
    """How one group ended. ``replies`` are by index, None where none came; ``status`` is one of ``frames``' words."""

    status: int
    detail: int
    replies: list[Reply | None]
    wall_us: int = 0
    cpu_us: int = 0
    max_rss_kb: int = 0
    leftover_processes: int = 0
    is_dirty: bool = False
    """The box could not be cleaned after it and takes no other group."""
    problem: str = ""
    """What broke the protocol, if anything did."""
    reason: str = ""
    """What to tell a person instead of the usual sentence for its status."""

    @property
    def is_complete(self) -> bool:
        """Whether its replies count: it ended as it should, and every call was answered."""
        return self.status == frames.FINISHED and not self.problem and None not in self.replies


OnGroupEnd = Callable[[int, GroupResult | BoxLostError], None]
"""``on_end(number, result)``: called once for each group that a box was sent."""


class GroupRun:
    """A group that a box has been sent. Times are the box's clock's."""

    def __init__(self, number: int, count: int, timeout_seconds: float, on_end: OnGroupEnd) -> None:
        self.timeout_seconds = timeout_seconds
        self.count = count
        self.relay: SolutionRelay | None = None
        """Made when it asks for its first solution."""
        self._number = number
        self._on_end: OnGroupEnd | None = on_end
        self._reader = frames.ReplyReader(count)
        self._replies: list[Reply | None] = [None] * count
        self._received = 0
        self._problem = ""
        self._began_at = self._progress_at = 0.0

    def begin(self, now: float) -> None:
        """It has come to the head of its box's groups."""
        self._began_at = self._progress_at = now

    def progressed(self, now: float) -> None:
        """It answered a call, or got a solution: the next call's time begins."""
        self._progress_at = now

    def take_replies(self, payload: bytes) -> None:
        """Part of its reply stream. What is wrong with it is the child's doing: only this group is spoilt."""
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

    def result(self, outcome: tuple[int, int, int, int, int, int, int]) -> GroupResult | BoxLostError:
        """What its box said of its end, together with its replies; our own fault where a solution was lost to one."""
        if self.relay is not None and self.relay.host_fault:
            return BoxLostError(self.relay.host_fault)
        status, detail, wall_us, cpu_us, rss, leftover, dirty = outcome
        reason = ""
        if self.relay is not None and self.relay.output_fault:
            status, detail, reason = frames.FLOODED, 0, self.relay.output_fault
        problem = self._problem
        if not problem and status == frames.FINISHED and not self._reader.is_empty:
            problem = "half a reply"
        return GroupResult(status, detail, self._replies, wall_us, cpu_us, rss, leftover, bool(dirty), problem, reason)

    def timed_out(self, now: float, reason: str) -> GroupResult:
        """The result of a group that the host ends."""
        return GroupResult(frames.TIMED_OUT, 0, self._replies, wall_us=int((now - self._began_at) * 1e6), reason=reason)

    def broken(self, now: float, problem: str) -> GroupResult:
        """The result of a group whose box said what no box says."""
        return GroupResult(frames.BROKEN, 0, self._replies, wall_us=int((now - self._began_at) * 1e6), problem=problem)

    def seconds_without_progress(self, now: float) -> float:
        return now - self._progress_at

    def seconds_overdue(self, now: float, grace_seconds: float) -> float:
        """How long it has run beyond any time that it may take, whatever progress there seems to be.

        The zygote ends a group after its limit times its calls, and stops its clock while a solution is under way.
        """
        allowed = _OVERDUE_SHARE * self.timeout_seconds * self.count + _OVERDUE_GRACES * grace_seconds
        stood_still = self.relay.busy_seconds if self.relay is not None else 0.0
        return now - self._began_at - stood_still - allowed

    @property
    def is_waiting(self) -> bool:
        """Whether a solution is under way."""
        return self.relay is not None and self.relay.is_busy

    def end(self, result: GroupResult | BoxLostError) -> None:
        """Tell who sent it. Only the first time counts."""
        if self.relay is not None:
            self.relay.cancel()
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end(self._number, result)
