"""How queued calls become groups: pure decisions, without boxes and clocks.

A *group* is what one box runs with one fork (or one worker). A *batch* is what a box is sent at once: one group, or at
level ``call`` a few groups of one call each.
"""

import math
from collections import deque
from dataclasses import dataclass

from sandbox.guest import frames
from sandbox.host.queued_call import QueuedCall
from sandbox.settings import SandboxSettings

WINDOW = 2
"""Batches a box: the next lies there when the first ends."""
_CALLS_AHEAD = 4
_AHEAD_US = 20_000
_SLOW_US = 50_000


@dataclass
class Pace:
    """What is known of the calls of one release."""

    call_us: float = _SLOW_US / 2
    """A running mean of what one call takes in a box."""
    asks_solutions: bool = False

    def saw(self, wall_us: int, call_count: int) -> None:
        """One group took this long."""
        self.call_us += (wall_us / call_count - self.call_us) / 16

    @property
    def calls_ahead(self) -> int:
        """How many forks of their own one batch holds.

        Several short calls, so that a box never waits for us; one long one, so that no call waits behind it while
        another box has nothing to do.
        """
        if self.asks_solutions:
            return 1
        return max(1, min(_CALLS_AHEAD, int(_AHEAD_US / max(1.0, self.call_us))))

    @property
    def window(self) -> int:
        """How many batches a box may hold. A call that waits for a solution would send the others back."""
        return 1 if self.asks_solutions or self.call_us > _SLOW_US else WINDOW


def batch_limit(level: int, pace: Pace, settings: SandboxSettings) -> int:
    """The most calls of one batch."""
    if level == frames.CALL:
        return pace.calls_ahead
    return settings.worker_calls if level == frames.WORKER else settings.batch_calls


def is_gathering(level: int, queued: int, limit: int, *, is_idle: bool) -> bool:
    """Whether ``queued`` calls wait for a box that is done, though one that is busy would take them.

    A group costs a fork, whatever the number of its calls. Sent as they come, calls that come singly would have a fork
    each, and the last of them would wait for all those forks. A full group gains nothing by waiting.
    """
    return level == frames.BATCH and not is_idle and queued < limit


def fair_share(queued: int, *, idle_boxes: int, all_boxes: int, is_idle: bool) -> int:
    """How many of ``queued`` calls one batch may have.

    Among boxes that have nothing to do, an equal part each: a group that needs one fork gets one. To lie ready in a
    box that is busy, half of that, so that whoever is done first finds something.
    """
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


def groups_of(batch: list[QueuedCall]) -> list[list[QueuedCall]]:
    """One group, or at level ``call`` one for each."""
    return [[call] for call in batch] if batch[0].level == frames.CALL else [batch]


def boxes_wanted(batches: int, *, idle: int, alive: int, opening: int, most: int) -> int:
    """How many more boxes to open for so many batches that wait."""
    return max(0, min(most - alive, batches - idle) - opening)
