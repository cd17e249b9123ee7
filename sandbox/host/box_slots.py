"""Limits how many boxes there are. Places are given in the order of the requests."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from sandbox.errors import PoolBusyError
from sandbox.host.background import background
from sandbox.host.box import Box, BoxState
from sandbox.host.clock import Clock, Timer
from sandbox.interface import BoxRole, BoxSpec

PATIENCE_SECONDS = 60.0  # chosen, not measured
_RESTED_SECONDS = 0.1
"""How long a box must be idle before it may be ended. Between two call groups every box is idle for a moment."""
_FAIR_DISTANCE = 2
"""A release gives up a box if it has at least so many more than the release that waits."""


@dataclass(eq=False)
class _Waiter:
    spec: BoxSpec
    granted: asyncio.Future[None]


class BoxSlots:
    """At most ``most`` boxes are alive or being opened. ``boxes()`` returns those that are alive.

    If all places are taken, the box that has been idle longest is ended. If none is idle, a release that has at least
    two boxes more than the waiting one gives up a box, which first finishes its work.

    The last place is kept for a solution box. Otherwise verifiers could fill all places and wait for solutions that
    have no place to run.
    """

    def __init__(self, most: int, clock: Clock, boxes: Callable[[], list[Box]]) -> None:
        self._most = most
        self._clock = clock
        self._boxes = boxes
        self._opening: Counter[BoxRole] = Counter()
        self._waiting: deque[_Waiter] = deque()
        self._made_way_for: set[_Waiter] = set()
        self._next_look: Timer | None = None

    @asynccontextmanager
    async def place(self, spec: BoxSpec) -> AsyncIterator[None]:
        """Hold a place while a box is being opened; afterwards the box itself is counted. Raises PoolBusyError."""
        await self._wait(spec)
        try:
            yield
        finally:
            self._opening[spec.role] -= 1
            self.look()

    async def _wait(self, spec: BoxSpec) -> None:
        waiter = _Waiter(spec, asyncio.get_running_loop().create_future())
        timer = self._clock.call_later(PATIENCE_SECONDS, partial(self._give_up, waiter))
        self._waiting.append(waiter)
        self.look()
        try:
            await waiter.granted
        except BaseException:  # also cancelled: a place that was granted and not taken would be lost for good
            if waiter.granted.done() and not waiter.granted.cancelled() and waiter.granted.exception() is None:
                self._opening[spec.role] -= 1  # cancelled just after it got its place
            raise
        finally:
            timer.cancel()
            self._made_way_for.discard(waiter)
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            self.look()

    def _give_up(self, waiter: _Waiter) -> None:
        if not waiter.granted.done():
            message = f"all {self._most} boxes have been busy for {PATIENCE_SECONDS:g} s"
            waiter.granted.set_exception(PoolBusyError(message))

    def look(self) -> None:
        """Give out free places, and make room for the first that waits. Called when a box changes its state and when
        somebody asks for a place.
        """
        if not self._waiting:
            return
        for waiter in list(self._waiting):
            if waiter.granted.done():
                continue
            if self._has_place(waiter.spec.role):
                self._opening[waiter.spec.role] += 1
                self._waiting.remove(waiter)
                # a box was ended for a waiter that got another place: the next waiter may end one too
                self._made_way_for.clear()
                waiter.granted.set_result(None)
            elif waiter not in self._made_way_for:
                self._make_way(waiter)

    def _has_place(self, role: BoxRole) -> bool:
        taken = len(self._boxes()) + self._opening.total()
        return taken < self._most - self._kept_for_solutions(role)

    def _kept_for_solutions(self, role: BoxRole) -> int:
        if role is BoxRole.SOLUTION or self._opening[BoxRole.SOLUTION]:
            return 0
        return int(all(box.spec.role is not BoxRole.SOLUTION for box in self._boxes()))

    def _make_way(self, waiter: _Waiter) -> None:
        """End or retire one box for ``waiter``. When the box has ended, :meth:`look` is called."""
        boxes = [box for box in self._boxes() if box.serves]
        idle = [box for box in boxes if box.state is BoxState.IDLE]
        if idle:
            longest = min(idle, key=lambda box: box.idle_since)
            left = _RESTED_SECONDS - (self._clock.now() - longest.idle_since)
            if left > 0:
                self._look_later(left)
                return
            self._made_way_for.add(waiter)
            background(longest.kill("its room was needed"))
            return
        held = Counter(_holder(box.spec) for box in boxes if box.spec.role is not BoxRole.ENVIRONMENT)
        largest, most = max(held.items(), key=lambda one: one[1], default=(("", ""), 0))
        if most >= held[_holder(waiter.spec)] + _FAIR_DISTANCE:
            self._made_way_for.add(waiter)
            oldest = min((box for box in boxes if _holder(box.spec) == largest), key=lambda box: box.opened_at)
            oldest.retire()
            return
        for box in boxes:
            box.listen(self._became_idle, BoxState.IDLE)

    def _became_idle(self, _: Box) -> None:
        self.look()

    def _look_later(self, seconds: float) -> None:
        if self._next_look is None:
            self._next_look = self._clock.call_later(seconds, self._look_now)

    def _look_now(self) -> None:
        self._next_look = None
        self.look()


def _holder(spec: BoxSpec) -> tuple[str, str]:
    return spec.role.value, spec.source.digest if spec.source else ""
