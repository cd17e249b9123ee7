"""Warm boxes by release, role and policy; a cap over all of them; idle ones go when others need the room."""

import asyncio
import contextlib
from collections import Counter
from weakref import WeakKeyDictionary

from sandbox.box import Box, BoxState, ImportEndedError
from sandbox.configuring import environment_policy, guest_config, place_config, solution_policy, verifier_policy
from sandbox.errors import BoxLostError, PoolBusyError, TimeLimitError
from sandbox.interface import Backend, BoxRole, BoxSpec, BoxUsage, Policy, Source
from sandbox.lot import Lot
from sandbox.metrics import Metrics
from sandbox.settings import SandboxSettings
from sandbox.solutions import run_solution_request

_Key = tuple[str, BoxRole, str, bool]
_JANITOR_SECONDS = 15.0
_ROOM_SECONDS = 60.0


class Pool:
    """Owns every box of one sandbox. Not safe across event loops."""

    def __init__(self, backend: Backend, settings: SandboxSettings, metrics: Metrics) -> None:
        self._backend = backend
        self._settings = settings
        self.metrics = metrics
        self._lots: dict[_Key, Lot] = {}
        self._loners: set[Box] = set()
        self._opening = 0
        self._starts = asyncio.Semaphore(settings.starting_boxes)
        self._janitor: asyncio.Task[None] | None = None
        self._loadable: set[str] = set()
        """Releases of which a box has been ready."""
        self._last_usage: WeakKeyDictionary[Box, BoxUsage] = WeakKeyDictionary()

    def verifier_lot(self, source: Source, *, single_use: bool = False) -> Lot:
        """Where the calls of ``source`` queue. ``single_use``: a fresh box for each."""
        return self._lot(source, verifier_policy(source, self._settings), single_use=single_use)

    def solution_lot(self) -> Lot:
        """Where code that a model wrote queues: no package, no answer."""
        return self._lot(None, solution_policy(self._settings), single_use=False)

    async def open_environment(self, source: Source) -> Box:
        """A box of its own for sessions of ``source``. The caller kills it, and sets its state to idle or busy."""
        spec = BoxSpec(BoxRole.ENVIRONMENT, environment_policy(source, self._settings), source)
        box = await self._open(spec)
        self._loners.add(box)
        box.on_dead = lambda: self._loners.discard(box)
        return box

    def boxes_by_state(self) -> Counter[str]:
        """How many boxes are in which state."""
        return Counter(box.state.value for box in self._boxes())

    def box_usages(self) -> list[tuple[str, BoxUsage]]:
        """Package and usage of every box that lives, where the backend can tell; counts what is new since last time."""
        usages = []
        for box in self._boxes():
            usage = box.usage()
            if usage is not None:
                package = _label(box.spec.source)
                last = self._last_usage.get(box)
                self._last_usage[box] = usage
                new_us = int((usage.cpu_seconds - (last.cpu_seconds if last else 0.0)) * 1e6)
                self.metrics.count("box_cpu_microseconds", package, by=new_us)
                self.metrics.count("oom_kills", package, by=usage.oom_kills - (last.oom_kills if last else 0))
                usages.append((package, usage))
        return usages

    def render_metrics(self) -> str:
        """Prometheus text."""
        return self.metrics.render(self.boxes_by_state(), self.box_usages())

    def _boxes(self) -> list[Box]:
        return [box for lot in self._lots.values() for box in lot.boxes] + list(self._loners)

    def _lot(self, source: Source | None, policy: Policy, *, single_use: bool) -> Lot:
        key = (source.digest if source else "", policy.role, policy.digest, single_use)
        lot = self._lots.get(key)
        if lot is None:
            spec = BoxSpec(policy.role, policy, source)
            lot = Lot(
                lambda: self._open(spec),
                self._settings,
                self.metrics,
                label=_label(source),
                max_boxes=self._settings.boxes_per_package,
                is_single_use=single_use,
            )
            self._lots[key] = lot
            if self._janitor is None:
                self._janitor = asyncio.get_running_loop().create_task(self._tidy())
        return lot

    async def _open(self, spec: BoxSpec) -> Box:
        await self._make_room(spec.role)
        self._opening += 1
        try:
            async with self._starts:
                box = await self._open_fairly(spec)
        finally:
            self._opening -= 1
        if spec.source is not None:
            self._loadable.add(spec.source.digest)
        self.metrics.count("boxes_opened", _label(spec.source))
        return box

    async def _open_fairly(self, spec: BoxSpec) -> Box:
        """A second box that ends while it imports, and one that takes too long, is the package's doing; but not when
        the same package was ready before.
        """
        try:
            with contextlib.suppress(ImportEndedError):
                return await self._open_once(spec)
            return await self._open_once(spec)
        except (ImportEndedError, TimeLimitError) as fault:
            if spec.source is not None and spec.source.digest in self._loadable:
                raise BoxLostError(str(fault)) from None
            raise

    async def _open_once(self, spec: BoxSpec) -> Box:
        config = await asyncio.to_thread(guest_config, spec, self._settings)  # it reads the wheel
        landlock = self._backend.name == "docker"
        return await Box.open(
            self._backend,
            spec,
            lambda lane: {**config, **place_config(lane.place, landlock=landlock)},
            start_timeout_seconds=self._settings.start_timeout_seconds,
            grace_seconds=self._settings.grace_seconds,
            solve=self.solve if spec.role is BoxRole.VERIFIER else None,
        )

    async def solve(self, request: bytes) -> bytes:
        """Run a solution for a verifier or a session, in a box that has neither package nor answer."""
        return await run_solution_request(self.solution_lot(), request, self._settings)

    async def _make_room(self, role: BoxRole) -> None:
        """Below the cap, by ending the box that has been idle longest; busy ones are waited for.

        The last place is for a solution box: verifiers that fill all places wait for what only such a box can tell.
        """
        deadline = asyncio.get_running_loop().time() + _ROOM_SECONDS
        while len(boxes := self._boxes()) + self._opening >= self._settings.max_boxes - self._kept_for_solutions(role):
            idle = [box for box in boxes if box.state is BoxState.IDLE]
            if idle:
                await min(idle, key=lambda box: box.idle_since).kill("its room was needed")
                continue
            if asyncio.get_running_loop().time() > deadline:
                raise PoolBusyError(f"all {self._settings.max_boxes} boxes have been busy for {_ROOM_SECONDS:g} s")
            await asyncio.sleep(0.05)

    def _kept_for_solutions(self, role: BoxRole) -> int:
        if role is BoxRole.SOLUTION:
            return 0
        return int(all(box.spec.role is not BoxRole.SOLUTION for box in self._boxes()))

    async def _tidy(self) -> None:
        """At first and now and then: end idle boxes, remove what dead owners left."""
        while True:
            for lot in list(self._lots.values()):
                retired = await lot.retire_idle(self._settings.box_idle_seconds)
                self.metrics.count("boxes_retired", by=retired)
            with contextlib.suppress(Exception):  # an engine that does not answer now may answer next time
                self.metrics.count("orphans_reaped", by=await self._backend.reap())
            self.box_usages()  # of a box that dies, what was seen last is counted
            await asyncio.sleep(_JANITOR_SECONDS)

    async def aclose(self) -> None:
        """End every box."""
        if self._janitor is not None:
            self._janitor.cancel()
            await asyncio.gather(self._janitor, return_exceptions=True)
        await asyncio.gather(*(lot.aclose() for lot in self._lots.values()))
        await asyncio.gather(*(box.kill("the sandbox is closing") for box in list(self._loners)))
        self._lots.clear()


def _label(source: Source | None) -> str:
    return source.manifest.id if source else "solution"
