"""How calls wait in a queue, and how they are put together to call groups.

Pure decisions, without boxes and clocks. A *call group* is run by a box in one fork (or one worker). A *batch* is what
a box is sent at once: one call group, or at level ``call`` a few call groups of one call each.
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
"""How many batches a box holds: the next one is already there when the first ends."""
_CALLS_AHEAD = 4
"""The most calls of one batch at level ``call``."""
_AHEAD_US = 20_000
"""A batch at level ``call`` takes about so long at most: as many calls as fit into it."""
_SLOW_US = 50_000
"""If calls take longer than this, a box holds one batch only, so that none waits while another box is free."""
_WORTH_A_FORK = 0.4
"""A share of the time of a fork. While a fork runs, calls that together take less than this wait for the next one.
"""
MOST_RETURNS = 16
"""How often boxes may return one call unstarted. A box does that while another of its calls waits for a solution, and
when it could not be cleaned. Beyond this number the package counts as the cause.
"""


# -- one call ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CallError:
    """Why a call has no reply, instead of the reply."""

    kind: ErrorKind
    message: str
    asked: Sequence[JudgeCall] = ()
    """Its model calls before that."""


class AskedReply(bytes):
    """The JSON of a reply, and the model calls of its call."""

    asked: Sequence[JudgeCall] = ()

    @classmethod
    def of(cls, reply: bytes, asked: Sequence[JudgeCall]) -> "AskedReply":
        """``reply`` together with its model calls."""
        made = cls(reply)
        made.asked = asked
        return made


Outcome = bytes | CallError
"""A reply's JSON, or why there is none."""


class QueuedCall:
    """One call in the queue. ``deliver`` is called once with its outcome, unless the call is cancelled.

    The outcomes of all calls of a call group with the same ``deliver`` are delivered together, which costs the host
    less than one by one. Calls with the same level and the same limit may share a call group. So the limit is kept in
    whole milliseconds, and only a positive number is accepted: NaN differs from itself and would stay in the queue for
    ever.
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
        """How often a box returned it unstarted."""
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
    """The calls that somebody still waits for, in lists of consecutive calls with the same ``deliver``."""
    waited_for = [one for one in told if one[0].is_open]
    for _, together in groupby(waited_for, key=lambda one: one[0].deliver):
        yield list(together)


def tell(together: Sequence[Told]) -> None:
    """Deliver the outcomes of these calls to their common reader."""
    for call, _, _ in together:
        call.is_told = True
    together[0][0].deliver(together)


@lru_cache(maxsize=64)  # most calls have the limit of the call before them
def _whole_milliseconds(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"a call's limit must be a positive number of seconds, not {seconds}")
    return max(1, round(seconds * 1000)) / 1000


class CallQueue:
    """The waiting calls of one release, in the order in which they will be sent.

    The limits, in calls and in bytes, are back-pressure for readers of call streams, which wait for room. Calls that
    come back are put at the head even above the limits.
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
        """The next call to send."""
        return self._calls[0]

    @property
    def has_room(self) -> bool:
        """Whether it is below its limits."""
        return len(self._calls) < self._most_calls and self._bytes < self._most_bytes

    async def wait_for_room(self) -> None:
        """Wait until the queue is below its limits: the back-pressure for readers of call streams."""
        while not self.has_room:  # checked again: the first reader that woke up may have filled the queue
            self._room.clear()
            await self._room.wait()

    def tell_of_room(self) -> None:
        """Wake readers that wait, if there is room now. Called once after many calls have left."""
        if not self._calls:
            self._bytes = 0  # also after calls were cancelled
        if self.has_room:
            self._room.set()

    def append(self, calls: Iterable[QueuedCall], now: float) -> None:
        """Append calls that came at time ``now``."""
        for call in calls:
            call.queued_at = now
            self._calls.append(call)
            self._bytes += len(call.payload)

    def put_back(self, calls: Sequence[QueuedCall]) -> None:
        """Put calls back at the head in the same order. Cancelled calls are dropped."""
        again = [call for call in calls if call.is_open]
        self._calls.extendleft(reversed(again))
        self._bytes += sum(len(call.payload) for call in again)

    def cut(self, limit: int) -> list[QueuedCall]:
        """Take one batch from the head, see :func:`cut_batch`."""
        batch = cut_batch(self._calls, limit)
        self._bytes -= sum(len(call.payload) for call in batch)
        return batch

    def drop_cancelled(self) -> None:
        """Drop cancelled calls."""
        self._calls = deque(call for call in self._calls if call.is_open)
        self._bytes = sum(len(call.payload) for call in self._calls)

    def take_all(self) -> list[QueuedCall]:
        """Empty the queue: all calls that waited in it."""
        calls, self._calls = list(self._calls), deque()
        self.tell_of_room()
        return calls


# -- queued calls become call groups -----------------------------------------------------------------------------------


@dataclass
class Pace:
    """Measured times of the calls of one release, in microseconds."""

    is_single_use: bool = False
    """Whether each call has a box of its own."""
    call_us: float = _SLOW_US / 2
    """Running mean of the time of one call in a box."""
    asks_solutions: bool = False
    fork_us: float = 0.0
    """Running mean of the time that a call group at level ``batch`` takes in addition to its calls."""
    own_us: float = 1.0
    """Running mean of the time of the package's code for one call at level ``batch``."""

    def saw(self, wall_us: int, call_count: int) -> None:
        """Record how long one call group took."""
        self.call_us += (wall_us / call_count - self.call_us) / 16

    def saw_fork(self, wall_us: int, call_us: Sequence[int]) -> None:
        """Record that a call group at level ``batch`` took ``wall_us``, and how long each of its calls took."""
        own_us = sum(call_us)
        self.fork_us += (min(_SLOW_US, max(0, wall_us - own_us)) - self.fork_us) / 16
        self.own_us += (own_us / len(call_us) - self.own_us) / 16

    def worth_a_fork(self, most: int) -> int:
        """How many waiting calls justify a fork while another fork runs; at most ``most``.

        Two forks at a time compete for processors with each other and with the host. Calls that are short compared with
        a fork are answered sooner if they share one. Long calls are not.
        """
        return max(1, min(most, math.ceil(_WORTH_A_FORK * self.fork_us / max(1.0, self.own_us))))

    @property
    def calls_ahead(self) -> int:
        """How many calls one batch holds at level ``call``, where each has its own fork.

        Several short calls, so that a box never waits for the host; only one long call, so that no call waits behind it
        while another box is idle.
        """
        if self.asks_solutions:
            return 1
        return max(1, min(_CALLS_AHEAD, int(_AHEAD_US / max(1.0, self.call_us))))

    @property
    def window(self) -> int:
        """How many batches a box may hold. Only one if calls run solutions: a box returns its other calls while one
        waits.
        """
        return 1 if self.is_single_use or self.asks_solutions or self.call_us > _SLOW_US else WINDOW


def batch_limit(level: int, pace: Pace, settings: SandboxSettings) -> int:
    """The most calls of one batch."""
    if pace.is_single_use:
        return 1
    if level == frames.CALL:
        return pace.calls_ahead
    return settings.worker_calls if level == frames.WORKER else settings.batch_calls


def is_gathering(level: int, queued: int, limit: int, *, is_idle: bool, worth: int = 1) -> bool:
    """Whether ``queued`` calls should wait until a box is free or more calls have come.

    A call group costs one fork, whatever its number of calls. If calls that come one by one were sent at once, each
    would have a fork, and the last would wait for all of them. A full call group gains nothing by waiting. An idle box
    takes at least ``worth`` calls.
    """
    return level == frames.BATCH and queued < (worth if is_idle else limit)


def fair_share(queued: int, *, idle_boxes: int, all_boxes: int, is_idle: bool, worth: int = 1) -> int:
    """The most calls of the ``queued`` ones that one batch may take.

    Each idle box gets an equal share. A busy box gets half of an equal share as its next batch, so that calls are left
    for the box that finishes first. No box gets fewer than ``worth`` calls. Otherwise short calls that come about as
    fast as they are judged would be split into more and more forks, and the forks would use up the time.
    """
    return max(worth, _equal_part(queued, idle_boxes, all_boxes, is_idle=is_idle))


def _equal_part(queued: int, idle_boxes: int, all_boxes: int, *, is_idle: bool) -> int:
    return math.ceil(queued / max(1, idle_boxes if is_idle else all_boxes * WINDOW))


def cut_batch(queue: deque[QueuedCall], limit: int) -> list[QueuedCall]:
    """Take at most ``limit`` calls from the head of ``queue``. They have one level and one time limit, and fit into one
    frame.

    Cancelled calls are dropped. The result is empty only if all calls in the queue were cancelled.
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
    """The call groups of a batch: one, or at level ``call`` one for each call."""
    return [[call] for call in batch] if batch[0].level == frames.CALL else [batch]


def boxes_wanted(batches: int, *, idle: int, alive: int, opening: int, most: int) -> int:
    """How many more boxes to open for the ``batches`` that wait."""
    return max(0, min(most - alive, batches - idle) - opening)
