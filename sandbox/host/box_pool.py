"""All boxes of one sandbox by purpose: a dispatcher for each release, role and resources, and boxes for sessions."""

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from sandbox.errors import ModelUnansweredError
from sandbox.host.box import Box
from sandbox.host.box_limits import BoxLimits
from sandbox.host.clock import Clock, LoopClock
from sandbox.host.dispatcher import Dispatcher
from sandbox.host.guest_config import environment_resources, solution_resources, verifier_resources
from sandbox.host.live_boxes import Answering, LiveBoxes, label_of
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.release_boxes import ReleaseBoxes
from sandbox.host.solution_relay import Solved
from sandbox.host.solution_request import run_solution_request
from sandbox.interface import Backend, BoxResources, BoxRole, BoxSpec, Source
from sandbox.models.access import NOT_OFFERED, Completed, ModelAccess
from sandbox.settings import SandboxSettings
from schemas.wheels.box_python import DEFAULT_PYTHON

_Key = tuple[str, BoxRole, bool]
"""Which boxes serve a release, or the Python of solutions; the role; whether each call has a box of its own."""
Attended = Callable[[Callable[[], bool], Coroutine[Any, Any, Solved]], Awaitable[Solved]]
"""Awaits a solution, and may end the wait with an error of its own while no box for one is open."""
_JANITOR_SECONDS = 15.0  # also how stale the usage of a box is that died between two rounds
_KEPT_DISPATCHERS = 256  # of releases that nobody asks for at the moment


class BoxPool:
    """Finds the dispatcher for each kind of work, and answers requests of boxes. Use it in one event loop."""

    def __init__(
        self,
        backend: Backend,
        settings: SandboxSettings,
        metrics: SandboxMetrics,
        clock: Clock | None = None,
        access: ModelAccess | None = None,
    ) -> None:
        self.metrics = metrics
        self.attended: Attended = lambda _, solving: solving
        self._access = access
        self.clock = clock or LoopClock()
        self.limits = BoxLimits.of(settings)
        self.live = LiveBoxes(backend, settings, metrics, self.clock, self._answering)
        self._backend = backend
        self._settings = settings
        self._dispatchers: dict[_Key, Dispatcher] = {}
        self._janitor: asyncio.Task[None] | None = None

    def verifier_dispatcher(self, source: Source, *, single_use: bool = False) -> Dispatcher:
        """The dispatcher for calls of ``source``. ``single_use``: each call gets a fresh box.

        Raises VerifierFailedError if the package asks for more resources than the operator allows.
        """
        key = source.boxes_key, BoxRole.VERIFIER, single_use
        return self._known(key) or self._made(key, verifier_resources(source, self._settings), source)

    def has_verifier_box(self, source: Source) -> bool:
        """Whether a box for calls of ``source`` is open."""
        keys = ((source.boxes_key, BoxRole.VERIFIER, is_single_use) for is_single_use in (False, True))
        return any(key in self._dispatchers and self._dispatchers[key].boxes.alive for key in keys)

    def solution_dispatcher(self, python: str = DEFAULT_PYTHON) -> Dispatcher:
        """The dispatcher for code that a model wrote. Its boxes hold neither a package nor the task's answer.

        ``python`` is the Python version of the package that asks.
        """
        key = python, BoxRole.SOLUTION, False
        return self._known(key) or self._made(key, solution_resources(self._settings), None, python)

    async def open_environment(self, source: Source) -> Box:
        """Open a box for sessions of ``source`` and mark it as occupied. The caller must kill it."""
        spec = BoxSpec(BoxRole.ENVIRONMENT, environment_resources(source, self._settings), source)
        return await self.live.open(spec, self.limits)

    async def solve(self, request: bytes, python: str = DEFAULT_PYTHON) -> Solved:
        """Run a solution for a verifier or a session, in a box that holds neither a package nor the task's answer."""
        dispatcher = self.solution_dispatcher(python)
        solving = run_solution_request(dispatcher, request, self._settings)
        return await self.attended(lambda: bool(dispatcher.boxes.alive), solving)

    async def complete(self, source: Source, request: bytes, asked_before: int) -> Completed:
        """Answer a verifier's model call. Raises ModelUnansweredError with the reason if that is not possible."""
        if self._access is None:
            raise ModelUnansweredError(NOT_OFFERED.format(package=source.manifest.id))
        return await self._access.complete(source.manifest, source.digest, request, asked_before)

    def render_metrics(self) -> str:
        """Prometheus text."""
        return self.metrics.render(self.live.by_state(), self.live.usages())

    async def aclose(self) -> None:
        """End every box."""
        if self._janitor is not None:
            self._janitor.cancel()
            await asyncio.gather(self._janitor, return_exceptions=True)
        await asyncio.gather(*(dispatcher.aclose() for dispatcher in self._dispatchers.values()))
        await self.live.aclose()
        self._dispatchers.clear()

    def _answering(self, spec: BoxSpec) -> Answering:
        """What answers the requests of a box. Only verifier boxes send requests here.

        A solution box runs code of the model in training, which may request nothing. Sessions have a relay of their
        own.
        """
        if spec.role is not BoxRole.VERIFIER or spec.source is None:
            return Answering()
        solve = functools.partial(self.solve, python=spec.python)
        return Answering(solve, functools.partial(self.complete, spec.source))

    def _known(self, key: _Key) -> Dispatcher | None:
        dispatcher = self._dispatchers.pop(key, None)
        if dispatcher is not None:
            self._dispatchers[key] = dispatcher  # in order of use: the last one was used most recently
        return dispatcher

    def _made(
        self, key: _Key, resources: BoxResources, source: Source | None, python: str = DEFAULT_PYTHON
    ) -> Dispatcher:
        spec, label = BoxSpec(resources.role, resources, source, python), label_of(source)
        *_, is_single_use = key
        limits = replace(self.limits, most_call_groups=1) if is_single_use else self.limits
        boxes = ReleaseBoxes(
            lambda: self.live.open(spec, limits), self._settings, self.metrics, self.clock, label=label
        )
        dispatcher = Dispatcher(
            boxes, self._settings, self.metrics, self.clock, label=label, is_single_use=is_single_use
        )
        self._forget_dispatchers()
        self._dispatchers[key] = dispatcher
        if self._janitor is None:
            self._janitor = asyncio.get_running_loop().create_task(self._tidy())
        return dispatcher

    def _forget_dispatchers(self) -> None:
        """Drop dispatchers without calls and boxes. A stream that holds a reference to one can still use it."""
        surplus = len(self._dispatchers) - _KEPT_DISPATCHERS
        for key in [key for key, dispatcher in self._dispatchers.items() if dispatcher.is_idle][: max(0, surplus)]:
            del self._dispatchers[key]

    async def _tidy(self) -> None:
        """At the start and at intervals: end idle boxes, and remove boxes whose owner process has died."""
        while True:
            retired = await self.live.retire_idle(self._settings.box_idle_seconds)
            self.metrics.count("boxes_retired", by=retired)
            with contextlib.suppress(Exception):  # an engine that does not answer now may answer next time
                self.metrics.count("orphans_reaped", by=await self._backend.reap())
            self.live.usages()  # usage is read regularly, because a dead box can no longer be asked
            await self.clock.sleep(_JANITOR_SECONDS)
