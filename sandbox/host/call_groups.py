"""Calls and call groups: how calls wait, and how they become call groups.

Decisions without boxes and clocks. A *call group* is what one box runs with one fork (or one worker). A *batch* is
what a box is sent at once: one call group, or at level ``call`` a few call groups of one call each.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from sandbox.guest import frames
from sandbox.settings import SandboxSettings
from schemas.judge_model import JudgeCall
from schemas.verdict import ErrorKind

WINDOW = 2
"""Batches a box: the next lies there when the first ends."""
_CALLS_AHEAD = 4
_AHEAD_US = 20_000
_SLOW_US = 50_000
_WORTH = 0.4
"""A share of what a fork takes. Calls that together take less than this wait and share the next fork, if one is under
way.
"""
MOST_RETURNS = 16
"""How often boxes may send one call back without having begun. A box does so while another call of its own waits for a
solution, and when it could not be cleaned; a package that does nothing else is at fault."""


# -- one call ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CallError:
    """Why a call has no reply."""

    kind: ErrorKind
    message: str
    asked: Sequence[JudgeCall] = ()
    """What it asked a model before."""


class AskedReply(bytes):
    """A reply's JSON, and what its call asked a model."""

    asked: Sequence[JudgeCall] = ()

    @classmethod
    def of(cls, reply: bytes, asked: Sequence[JudgeCall]) -> "AskedReply":
        """``reply`` with its model calls."""
        made = cls(reply)
        made.asked = asked
        return made


Outcome = bytes | CallError
"""A reply's JSON, or why there is none."""


class QueuedCall:
    """One call. ``deliver(told)`` is called once with it, unless it is cancelled.

    A call group that ends tells all calls of one ``deliver`` together: one hand-over a call group costs the host less
    than one a call. Calls of one level and one limit may share a call group, so the limit is kept in whole
    milliseconds, and a limit that is not a positive number is refused here: NaN differs from itself and would never
    leave the queue.
    """

    __slots__ = (
        "deliver",
        "first_level",
        "first_sent_at",
        "is_cancelled",
        "is_told",
        "level",
        "losses",
        "payload",
        "queued_at",
        "returns",
        "timeout_seconds",
    )

    def __init__(
        self,
        payload: bytes,
        level: int,
        timeout_seconds: float,
        deliver: "Deliver",
    ) -> None:
        self.payload = payload
        self.level = self.first_level = level
        self.timeout_seconds = _whole_milliseconds(timeout_seconds)
        self.deliver = deliver
        self.losses = 0
        """How many boxes were lost while they worked on it."""
        self.returns = 0
        """How often a box sent it back without having begun."""
        self.is_cancelled = self.is_told = False
        self.queued_at = self.first_sent_at = 0.0
        """By the dispatcher's clock."""

    @property
    def is_open(self) -> bool:
        """Whether somebody still waits for it."""
        return not (self.is_told or self.is_cancelled)


Told = tuple[QueuedCall, Outcome, int]
"""A call, its outcome and the microseconds that it took."""
Deliver = Callable[[Sequence[Told]], None]


def by_reader(told: Iterable[Told]) -> Iterator[list[Told]]:
    """The calls that are open, those of one ``deliver`` that follow each other together."""
    waited_for = [one for one in told if one[0].is_open]
    for _, together in groupby(waited_for, key=lambda one: one[0].deliver):
        yield list(together)


def tell(together: Sequence[Told]) -> None:
    """Hand outcomes over to the reader of all these calls, each once."""
    for call, _, _ in together:
        call.is_told = True
    together[0][0].deliver(together)


@lru_cache(maxsize=64)  # most calls have the limit of the call before them
def _whole_milliseconds(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"a call's limit must be a positive number of seconds, not {seconds}")
    return max(1, round(seconds * 1000)) / 1000


class CallQueue:
    """Calls of one release that wait, in the order in which they are handed out.

    The limits, in calls and in bytes, are for readers of call streams: they wait for room. Calls that come back are put
    at the head whatever the limits.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self._most_calls = settings.queue_limit
        self._most_bytes = settings.queue_mb << 20
        self._calls: deque[QueuedCall] = deque()
        self._bytes = 0
        self._room = asyncio.Event()
        self._room.set()

    def __len__(self) -> int:
        return len(self._calls)

    def __contains__(self, call: QueuedCall) -> bool:
        return call in self._calls

    @property
    def head(self) -> QueuedCall:
        """The call whose turn it is."""
        return self._calls[0]

    @property
    def has_room(self) -> bool:
        """Whether it is below its limits."""
        return len(self._calls) < self._most_calls and self._bytes < self._most_bytes

    async def wait_for_room(self) -> None:
        """Wait until the queue is below its limits: the back-pressure for readers of call streams."""
        while not self.has_room:  # again: of all that waited, the first may have filled it
            self._room.clear()
            await self._room.wait()

    def tell_of_room(self) -> None:
        """Wake readers that wait, if there is room now. Called once after many calls have left."""
        if not self._calls:
            self._bytes = 0  # calls that were cancelled on the way are not missed
        if self.has_room:
            self._room.set()

    def append(self, calls: Iterable[QueuedCall], now: float) -> None:
        """Calls that came ``now``."""
        for call in calls:
            call.queued_at = now
            self._calls.append(call)
            self._bytes += len(call.payload)

    def put_back(self, calls: Sequence[QueuedCall]) -> None:
        """Put calls back at the head, in the same order. Calls that nobody waits for are dropped."""
        again = [call for call in calls if call.is_open]
        self._calls.extendleft(reversed(again))
        self._bytes += sum(len(call.payload) for call in again)

    def cut(self, limit: int) -> list[QueuedCall]:
        """What one batch takes of it, as :func:`cut_batch` says."""
        batch = cut_batch(self._calls, limit)
        self._bytes -= sum(len(call.payload) for call in batch)
        return batch

    def drop_cancelled(self) -> None:
        """Forget calls that nobody waits for."""
        self._calls = deque(call for call in self._calls if call.is_open)
        self._bytes = sum(len(call.payload) for call in self._calls)

    def take_all(self) -> list[QueuedCall]:
        """Everything."""
        calls, self._calls = list(self._calls), deque()
        self.tell_of_room()
        return calls


# -- queued calls become call groups -----------------------------------------------------------------------------------


@dataclass
class Pace:
    """What is known of the calls of one release."""

    is_single_use: bool = False
    """Whether each call has a box of its own."""
    call_us: float = _SLOW_US / 2
    """A running mean of what one call takes in a box."""
    asks_solutions: bool = False
    fork_us: float = 0.0
    """A running mean of what a call group at level ``batch`` takes beside its calls."""
    own_us: float = 1.0
    """A running mean of what the package's code takes for one call at level ``batch``."""

    def saw(self, wall_us: int, call_count: int) -> None:
        """Record how long one call group took."""
        self.call_us += (wall_us / call_count - self.call_us) / 16

    def saw_fork(self, wall_us: int, call_us: Sequence[int]) -> None:
        """Record that a call group at level ``batch`` took ``wall_us``, and how long each of its calls took."""
        own_us = sum(call_us)
        self.fork_us += (min(_SLOW_US, max(0, wall_us - own_us)) - self.fork_us) / 16
        self.own_us += (own_us / len(call_us) - self.own_us) / 16

    def worth_a_fork(self, most: int) -> int:
        """How many calls are worth a fork of their own while another is under way; ``most`` at most.

        Two forks at a time take processors from each other and from the host. Calls that are short compared with a fork
        are answered sooner if they share one; long calls are not.
        """
        return max(1, min(most, math.ceil(_WORTH * self.fork_us / max(1.0, self.own_us))))

    @property
    def calls_ahead(self) -> int:
        """How many calls, each with a fork of its own, one batch holds. Several short calls, so that a box never waits
        for the host; but one long call, so that no call waits behind it while another box is idle.
        """
        if self.asks_solutions:
            return 1
        return max(1, min(_CALLS_AHEAD, int(_AHEAD_US / max(1.0, self.call_us))))

    @property
    def window(self) -> int:
        """How many batches a box may hold. A call that waits for a solution would send the others back."""
        return 1 if self.is_single_use or self.asks_solutions or self.call_us > _SLOW_US else WINDOW


def batch_limit(level: int, pace: Pace, settings: SandboxSettings) -> int:
    """The most calls of one batch."""
    if pace.is_single_use:
        return 1
    if level == frames.CALL:
        return pace.calls_ahead
    return settings.worker_calls if level == frames.WORKER else settings.batch_calls


def is_gathering(level: int, queued: int, limit: int, *, is_idle: bool, worth: int = 1) -> bool:
    """Whether ``queued`` calls wait for a box that is done, or for more calls.

    A call group costs a fork, whatever the number of its calls. Sent as they come, calls that come singly would have a
    fork each, and the last of them would wait for all those forks. A full call group gains nothing by waiting. A box
    that is idle takes what is ``worth`` a fork.
    """
    return level == frames.BATCH and queued < (worth if is_idle else limit)


def fair_share(queued: int, *, idle_boxes: int, all_boxes: int, is_idle: bool, worth: int = 1) -> int:
    """How many of ``queued`` calls one batch may have.

    Each idle box gets an equal part. A busy box gets half of an equal part as its next batch, so that calls are left
    for the box that finishes first. Neither gets fewer than are ``worth`` a fork: short calls that come about as fast
    as they can be judged would else be cut into ever more forks, which take the time that the calls need.
    """
    return max(worth, _equal_part(queued, idle_boxes, all_boxes, is_idle=is_idle))


def _equal_part(queued: int, idle_boxes: int, all_boxes: int, *, is_idle: bool) -> int:
    return math.ceil(queued / max(1, idle_boxes if is_idle else all_boxes * WINDOW))


def cut_batch(queue: deque[QueuedCall], limit: int) -> list[QueuedCall]:
    """At most ``limit`` calls of one level and limit from the head of ``queue``, no more bytes than a frame takes.

    Cancelled calls are dropped. Empty only when nobody waits for anything in the queue.
    """
    batch: list[QueuedCall] = []
    size, limit = 0, max(1, limit)
    while queue and len(batch) < limit:
        call = queue[0]
        if call.is_open:
            first = batch[0] if batch else call
            size += len(call.payload) + 4
            is_of_the_same_kind = call.level == first.level and call.timeout_seconds == first.timeout_seconds
            if batch and (size > frames.MAX_REQUEST_BYTES or not is_of_the_same_kind):
                break
            batch.append(call)
        queue.popleft()
    return batch


def call_groups_of(batch: list[QueuedCall]) -> list[list[QueuedCall]]:
    """One call group, or at level ``call`` one for each."""
    return [[call] for call in batch] if batch[0].level == frames.CALL else [batch]


def boxes_wanted(batches: int, *, idle: int, alive: int, opening: int, most: int) -> int:
    """How many more boxes to open for so many batches that wait."""
    return max(0, min(most - alive, batches - idle) - opening)
