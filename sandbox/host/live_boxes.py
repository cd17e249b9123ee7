"""Opens, counts and ends all boxes of one sandbox, under one limit for all of them."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary, WeakSet

from cachetools import LRUCache

from sandbox.errors import BoxLostError, TimeLimitError
from sandbox.host.box import Box, BoxState
from sandbox.host.box_limits import BoxLimits
from sandbox.host.box_slots import BoxSlots
from sandbox.host.clock import Clock
from sandbox.host.guest_config import guest_config, layout_config
from sandbox.host.handshake import ImportEndedError, ImportKilledError
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.solution_relay import Complete, Solve
from sandbox.interface import Backend, BoxRole, BoxSpec, BoxUsage, Measured, Source
from sandbox.settings import SandboxSettings

_KEPT_RELEASES = 4096  # chosen: a digest each
_IMPORTS = 4
"""How many boxes may end while they import a package before the package counts as the cause. A machine under load may
lose two in a row: with boxes killed at random at a load of 35, where an import takes seconds, that happened once in 13
minutes.
"""


@dataclass(frozen=True)
class Answering:
    """The functions that answer a box's requests to its host. None: such requests are refused."""

    solve: Solve | None = None
    complete: Complete | None = None


class LiveBoxes:
    """Opens, counts and ends boxes. ``answering(spec)`` returns what answers the requests of such a box."""

    def __init__(
        self,
        backend: Backend,
        settings: SandboxSettings,
        metrics: SandboxMetrics,
        clock: Clock,
        answering: Callable[[BoxSpec], Answering],
    ) -> None:
        self._backend = backend
        self._settings = settings
        self._metrics = metrics
        self._clock = clock
        self._answering = answering
        self._boxes: set[Box] = set()
        self._leaving: WeakSet[Box] = WeakSet()
        """Boxes that take no more work. The set is weak, since the connection keeps a box object alive until it is
        closed.
        """
        self._slots = BoxSlots(settings.max_boxes, clock, lambda: list(self._boxes))
        self._starts = asyncio.Semaphore(settings.starting_boxes)
        self._loadable: LRUCache[str, None] = LRUCache(_KEPT_RELEASES)
        """Digests of releases of which a box has become ready at least once."""
        self._last_usage: WeakKeyDictionary[Box, BoxUsage] = WeakKeyDictionary()

    async def open(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        """Open a box as soon as there is a place. A box for sessions is returned as occupied.

        Raises PoolBusyError if no place became free, or the error that prevented opening.
        """
        async with self._slots.place(spec), self._starts:
            box = await self._open_fairly(spec, limits)
            if box.state is not BoxState.DEAD:
                self._boxes.add(box)
                box.listen(self._ended, BoxState.DEAD)
            if spec.role is BoxRole.ENVIRONMENT:
                box.occupy()
        if spec.source is not None:
            self._loadable[spec.source.digest] = None
        self._metrics.count("boxes_opened", label_of(spec.source))
        return box

    def by_state(self) -> Counter[str]:
        """How many boxes are in which state."""
        return Counter(box.state.value for box in self._boxes)

    def usages(self) -> list[tuple[str, BoxUsage]]:
        """Package and resource usage of every box whose backend can tell. Adds what is new to the metrics."""
        usages = []
        for box in list(self._boxes):
            usage = _usage(box)
            if usage is not None:
                package = label_of(box.spec.source)
                last = self._last_usage.get(box)
                self._last_usage[box] = usage
                new_us = int((usage.cpu_seconds - (last.cpu_seconds if last else 0.0)) * 1e6)
                self._metrics.count("box_cpu_microseconds", package, by=new_us)
                self._metrics.count("oom_kills", package, by=usage.oom_kills - (last.oom_kills if last else 0))
                usages.append((package, usage))
        return usages

    async def retire_idle(self, older_than_seconds: float) -> int:
        """End boxes that have been idle that long; returns how many."""
        retired = 0
        for box in list(self._boxes):  # checked one by one, since a box may have got work meanwhile
            is_shared = box.spec.role is not BoxRole.ENVIRONMENT  # boxes for sessions are ended by whoever opened them
            if is_shared and box.state is BoxState.IDLE and self._clock.now() - box.idle_since >= older_than_seconds:
                retired += 1
                await box.kill("idle")
        return retired

    async def aclose(self) -> None:
        """End every box, and wait for those that are already ending: the event loop may stop afterwards."""
        await asyncio.gather(*(box.kill("the sandbox is closing") for box in [*self._boxes, *self._leaving]))

    def _ended(self, box: Box) -> None:
        self._boxes.discard(box)
        self._leaving.add(box)
        self._slots.look()

    async def _open_fairly(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        """Open a box, and try again if it ends during the import.

        The fourth end counts as the package's fault, and so does an import that takes too long. Neither does if a box
        of the same package has become ready before, or if the box was killed from outside.
        """
        try:
            for _ in range(_IMPORTS - 1):
                with contextlib.suppress(ImportEndedError, ImportKilledError):
                    return await self._open_once(spec, limits)
            return await self._open_once(spec, limits)
        except (ImportEndedError, TimeLimitError) as fault:
            if spec.source is not None and spec.source.digest in self._loadable:
                raise BoxLostError(str(fault)) from None
            raise

    async def _open_once(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        config = await asyncio.to_thread(guest_config, spec, self._settings)  # it reads the wheel
        answering = self._answering(spec)
        return await Box.open(
            self._backend,
            spec,
            lambda connection: {**config, **layout_config(connection.layout)},
            limits,
            self._clock,
            solve=answering.solve,
            complete=answering.complete,
        )


def label_of(source: Source | None) -> str:
    """The name of the package in metrics."""
    return source.manifest.id if source else "solution"


def _usage(box: Box) -> BoxUsage | None:
    """The kernel's counters of the box, if the backend can tell."""
    connection: object = box.connection
    return connection.usage() if isinstance(connection, Measured) and box.state is not BoxState.DEAD else None
