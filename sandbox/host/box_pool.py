"""All boxes of one sandbox: dispatchers by release, role and policy; a cap over all boxes; idle ones end."""

import asyncio
import contextlib
import functools
from collections import Counter
from dataclasses import replace
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from sandbox.errors import BoxLostError, ModelUnansweredError, TimeLimitError
from sandbox.host.box import Box, BoxState
from sandbox.host.box_limits import BoxLimits
from sandbox.host.box_slots import BoxSlots
from sandbox.host.clock import Clock, LoopClock
from sandbox.host.dispatcher import Dispatcher
from sandbox.host.guest_config import environment_policy, guest_config, layout_config, solution_policy, verifier_policy
from sandbox.host.handshake import ImportEndedError
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.release_boxes import ReleaseBoxes
from sandbox.host.solution_relay import Complete, Solved
from sandbox.host.solution_request import run_solution_request
from sandbox.interface import Backend, BoxPolicy, BoxRole, BoxSpec, BoxUsage, Measured, Source
from sandbox.models.access import NOT_OFFERED, Completed, ModelAccess
from sandbox.settings import SandboxSettings
from schemas.box_python import DEFAULT_PYTHON

_Key = tuple[str, BoxRole, bool]
"""A release's digest, or the Python of solutions; the role; whether each call has a box of its own."""
_JANITOR_SECONDS = 15.0
_KEPT_DISPATCHERS = 256  # of releases that nobody asks for at the moment
_KEPT_RELEASES = 4096


class BoxPool:
    """Owns every box of one sandbox. Not safe across event loops."""

    def __init__(
        self,
        backend: Backend,
        settings: SandboxSettings,
        metrics: SandboxMetrics,
        clock: Clock | None = None,
        access: ModelAccess | None = None,
    ) -> None:
        self.metrics = metrics
        self._access = access
        self.clock = clock or LoopClock()
        self.limits = BoxLimits(
            grace_seconds=settings.grace_seconds,
            start_seconds=settings.start_timeout_seconds,
            solution_seconds=settings.solution_timeout_seconds,
            solution_patience_seconds=settings.solution_patience_seconds,
            most_call_groups=settings.box_call_groups,
            lifetime_seconds=settings.box_lifetime_seconds,
        )
        self._backend = backend
        self._settings = settings
        self._dispatchers: dict[_Key, Dispatcher] = {}
        self._boxes: set[Box] = set()
        self._slots = BoxSlots(settings.max_boxes, self.clock, lambda: list(self._boxes))
        self._starts = asyncio.Semaphore(settings.starting_boxes)
        self._janitor: asyncio.Task[None] | None = None
        self._loadable: LRUCache[str, None] = LRUCache(_KEPT_RELEASES)
        """Releases of which a box has been ready."""
        self._last_usage: WeakKeyDictionary[Box, BoxUsage] = WeakKeyDictionary()

    # -- for those who have work -------------------------------------------------------------------------------------

    def verifier_dispatcher(self, source: Source, *, single_use: bool = False) -> Dispatcher:
        """Where the calls of ``source`` queue. ``single_use``: a fresh box for each.

        Raises VerifierFailedError where it asks for more than the operator gives.
        """
        key = source.digest, BoxRole.VERIFIER, single_use
        return self._known(key) or self._made(key, verifier_policy(source, self._settings), source)

    def solution_dispatcher(self, python: str = DEFAULT_PYTHON) -> Dispatcher:
        """Where code that a model wrote queues: no package, no answer. It runs on the Python of who asks for it."""
        key = python, BoxRole.SOLUTION, False
        return self._known(key) or self._made(key, solution_policy(self._settings), None, python)

    async def solve(self, request: bytes, python: str = DEFAULT_PYTHON) -> Solved:
        """Run a solution for a verifier or a session, in a box that has neither package nor answer."""
        return await run_solution_request(self.solution_dispatcher(python), request, self._settings)

    async def complete(self, source: Source, request: bytes, asked_before: int) -> Completed:
        """Answer a verifier's question to a model. Raises ModelUnansweredError with what is in the way."""
        if self._access is None:
            raise ModelUnansweredError(NOT_OFFERED.format(package=source.manifest.id))
        return await self._access.complete(source.manifest, source.digest, request, asked_before)

    async def open_environment(self, source: Source) -> Box:
        """A box of its own for sessions of ``source``, occupied already. The caller kills it."""
        spec = BoxSpec(BoxRole.ENVIRONMENT, environment_policy(source, self._settings), source)
        return await self._open(spec, self.limits)

    async def aclose(self) -> None:
        """End every box."""
        if self._janitor is not None:
            self._janitor.cancel()
            await asyncio.gather(self._janitor, return_exceptions=True)
        await asyncio.gather(*(dispatcher.aclose() for dispatcher in self._dispatchers.values()))
        await asyncio.gather(*(box.kill("the sandbox is closing") for box in list(self._boxes)))
        self._dispatchers.clear()

    # -- for operators -----------------------------------------------------------------------------------------------

    def boxes_by_state(self) -> Counter[str]:
        """How many boxes are in which state."""
        return Counter(box.state.value for box in self._boxes)

    def box_usages(self) -> list[tuple[str, BoxUsage]]:
        """Package and usage of every box that lives, where the backend can tell; counts what is new since last time."""
        usages = []
        for box in list(self._boxes):
            usage = _usage(box)
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

    # -- inside ------------------------------------------------------------------------------------------------------

    def _known(self, key: _Key) -> Dispatcher | None:
        dispatcher = self._dispatchers.pop(key, None)
        if dispatcher is not None:
            self._dispatchers[key] = dispatcher  # the last is the one that was asked for most recently
        return dispatcher

    def _made(self, key: _Key, policy: BoxPolicy, source: Source | None, python: str = DEFAULT_PYTHON) -> Dispatcher:
        spec, label = BoxSpec(policy.role, policy, source, python), _label(source)
        *_, is_single_use = key
        limits = replace(self.limits, most_call_groups=1) if is_single_use else self.limits
        boxes = ReleaseBoxes(lambda: self._open(spec, limits), self._settings, self.metrics, self.clock, label=label)
        dispatcher = Dispatcher(
            boxes, self._settings, self.metrics, self.clock, label=label, is_single_use=is_single_use
        )
        self._forget_dispatchers()
        self._dispatchers[key] = dispatcher
        if self._janitor is None:
            self._janitor = asyncio.get_running_loop().create_task(self._tidy())
        return dispatcher

    def _forget_dispatchers(self) -> None:
        """Drop those that hold nothing. A stream that still has one may go on with it: boxes are the pool's."""
        surplus = len(self._dispatchers) - _KEPT_DISPATCHERS
        for key in [key for key, dispatcher in self._dispatchers.items() if dispatcher.is_idle][: max(0, surplus)]:
            del self._dispatchers[key]

    async def _open(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        async with self._slots.place(spec), self._starts:
            box = await self._open_fairly(spec, limits)
            if box.state is not BoxState.DEAD:
                self._boxes.add(box)
                box.listen(self._ended, BoxState.DEAD)
            if spec.role is BoxRole.ENVIRONMENT:
                box.occupy()
        if spec.source is not None:
            self._loadable[spec.source.digest] = None
        self.metrics.count("boxes_opened", _label(spec.source))
        return box

    def _ended(self, box: Box) -> None:
        self._boxes.discard(box)
        self._slots.look()

    async def _open_fairly(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        """A second box that ends while it imports, and one that takes too long, is the package's doing; but not when
        the same package was ready before.
        """
        try:
            with contextlib.suppress(ImportEndedError):
                return await self._open_once(spec, limits)
            return await self._open_once(spec, limits)
        except (ImportEndedError, TimeLimitError) as fault:
            if spec.source is not None and spec.source.digest in self._loadable:
                raise BoxLostError(str(fault)) from None
            raise

    async def _open_once(self, spec: BoxSpec, limits: BoxLimits) -> Box:
        config = await asyncio.to_thread(guest_config, spec, self._settings)  # it reads the wheel
        return await Box.open(
            self._backend,
            spec,
            lambda connection: {**config, **layout_config(connection.layout)},
            limits,
            self.clock,
            solve=functools.partial(self.solve, python=spec.python) if spec.role is BoxRole.VERIFIER else None,
            complete=self._complete_for(spec),
        )

    def _complete_for(self, spec: BoxSpec) -> Complete | None:
        """Only verifiers ask a model: a solution is the policy's code, and a session runs where the policy acts."""
        if spec.role is not BoxRole.VERIFIER or spec.source is None:
            return None
        return functools.partial(self.complete, spec.source)

    async def retire_idle(self, older_than_seconds: float) -> int:
        """End boxes that have been idle that long; returns how many."""
        retired = 0
        for box in list(self._boxes):  # each is looked at when its turn comes: it may have got work meanwhile
            is_shared = box.spec.role is not BoxRole.ENVIRONMENT  # of these, whoever opened them sees to it
            if is_shared and box.state is BoxState.IDLE and self.clock.now() - box.idle_since >= older_than_seconds:
                retired += 1
                await box.kill("idle")
        return retired

    async def _tidy(self) -> None:
        """At first and now and then: end idle boxes, remove what dead owners left."""
        while True:
            retired = await self.retire_idle(self._settings.box_idle_seconds)
            self.metrics.count("boxes_retired", by=retired)
            with contextlib.suppress(Exception):  # an engine that does not answer now may answer next time
                self.metrics.count("orphans_reaped", by=await self._backend.reap())
            self.box_usages()  # of a box that dies, what was seen last is counted
            await self.clock.sleep(_JANITOR_SECONDS)


def _label(source: Source | None) -> str:
    return source.manifest.id if source else "solution"


def _usage(box: Box) -> BoxUsage | None:
    """What the kernel has counted for it, where the backend can tell."""
    connection: object = box.connection
    return connection.usage() if isinstance(connection, Measured) and box.state is not BoxState.DEAD else None
