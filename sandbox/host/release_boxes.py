"""Opens boxes of one release and one size while there is work, counts them, and ends them together."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from itertools import count

from sandbox.errors import BoxLostError, GuestFaultError, HostFaultError, ImageMissingError, host_failure
from sandbox.host.box import Box, BoxState, Wear
from sandbox.host.clock import Clock
from sandbox.host.metrics import SandboxMetrics
from sandbox.settings import SandboxSettings

_BROKEN_SECONDS = 10.0  # seconds before a package that could not be loaded is tried again
_SLOWEST_RETRY_SECONDS = 1.0  # with jitter, so that releases do not ask an engine that came back all at once
_MOST_UNUSED = 16
"""If so many boxes of one release in a row end before they are sent a call, the waiting work fails."""
_log = logging.getLogger(__name__)

Fault = GuestFaultError | HostFaultError


class ReleaseBoxes:
    """Opens boxes with ``open_box``, which may wait for a place under the limit for all releases.

    ``on_change`` is called when a box has opened or changed its state, and ``on_failure`` when there is work but no box
    can be opened. ``has_work`` tells whether calls still wait.
    """

    def __init__(
        self,
        open_box: Callable[[], Awaitable[Box]],
        settings: SandboxSettings,
        metrics: SandboxMetrics,
        clock: Clock,
        *,
        label: str,
    ) -> None:
        self.most = max(settings.boxes_per_package, 1)
        self.on_change: Callable[[], None] = lambda: None
        self.on_failure: Callable[[Fault], None] = lambda _: None
        self.has_work: Callable[[], bool] = lambda: False
        self._open_box = open_box
        self._settings = settings
        self._metrics = metrics
        self._clock = clock
        self._label = label
        self._alive: set[Box] = set()
        self.serving: list[Box] = []
        """Boxes that may be given work."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.opening = 0
        """How many are being opened."""
        self._opening_ended = asyncio.Event()
        self._is_closed = False
        self._unused = 0
        self._broken: tuple[float, GuestFaultError] | None = None
        """If the package could not be loaded: until when it is not tried again, and the error."""
        self._failing_since: float | None = None
        """The time since which the host could not open a box."""

    @property
    def alive(self) -> set[Box]:
        """All boxes, including those that only finish their work."""
        return set(self._alive)

    def open_for_work(self, count: int) -> None:
        """Begin to open so many more."""
        for _ in range(count):
            self.opening += 1
            task = asyncio.get_running_loop().create_task(self._open_for_work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def ensure(self, count: int) -> list[Box]:
        """Have at least ``count`` boxes, or as many as are allowed. Boxes that are already being opened are counted.

        Raises the error that prevents opening.
        """
        count = min(count, self.most)
        while len(self.serving) < count <= len(self.serving) + self.opening:
            self._opening_ended.clear()
            await self._opening_ended.wait()
        missing = count - len(self.serving) - self.opening
        if missing > 0:
            self.opening += missing
            try:
                opened = await asyncio.gather(*(self._open() for _ in range(missing)), return_exceptions=True)
            finally:
                self._end_opening(missing)
            for error in opened:
                if isinstance(error, BaseException):
                    raise error
        boxes = self.serving
        if not boxes:
            raise BoxLostError("every box that was opened has ended already")
        return boxes

    async def aclose(self) -> None:
        """End every box."""
        self._is_closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(box.kill("the sandbox is closing") for box in self.alive))

    # -- opening -----------------------------------------------------------------------------------------------------

    async def _open(self) -> Box:
        """Open one more box. Raises only guest and host faults: any other error is a bug of ours and becomes a host
        fault.
        """
        try:
            box = await self._open_box()
        except GuestFaultError as fault:
            self._broken = (self._clock.now() + _BROKEN_SECONDS, fault)
            raise
        except HostFaultError:
            raise
        except Exception as error:  # a package may write READY itself, in any shape; its calls hung until this was here
            _log.exception("a box of %s could not be opened", self._label)
            raise host_failure(error) from error
        self._broken = self._failing_since = None
        if self._is_closed:
            await box.kill("the sandbox is closing")
            raise BoxLostError("the sandbox is closing")
        self._alive.add(box)
        box.listen(self._left, BoxState.DRAINING, BoxState.DEAD)
        self._count()
        return box

    def _left(self, box: Box) -> None:
        """Called when a box takes no more work, because it is ending or has ended."""
        if box.state is BoxState.DEAD:
            self._alive.discard(box)
            self._count_unused(box)
        elif box.wear is not None:
            self._metrics.count("recycled_dirty" if box.wear is Wear.DIRTY else "recycled", self._label)
        self._count()

    def _count(self) -> None:
        self.serving = [one for one in self._alive if one.serves]
        self.on_change()

    def _count_unused(self, box: Box) -> None:
        """Count boxes that became ready and then ended without work. Such a box uses up no retry of a call, so without
        this count new boxes would be opened for ever.
        """
        self._unused = 0 if box.groups.count else self._unused + 1
        if self._unused > _MOST_UNUSED and self.has_work():
            self._unused = 0
            self.on_failure(box.fault or BoxLostError(f"{_MOST_UNUSED} boxes ended before they were sent a call"))

    def _end_opening(self, count: int) -> None:
        self.opening -= count
        self._opening_ended.set()

    async def _open_for_work(self) -> None:
        """Open a box. If that fails and no box is alive, the waiting work fails with the reason."""
        try:
            fault = await self._open_patiently()
        finally:
            self._end_opening(1)
        if fault is not None:
            self.on_failure(fault)
        self.on_change()

    async def _open_patiently(self) -> Fault | None:
        """Open a box, and try again as long as the host is at fault. None if meanwhile another box is there or no work
        waits.

        Not a retry library: those decide by exception and time alone. Here it also matters which boxes and calls there
        are, and the time comes from the clock that was passed in.
        """
        if self._broken is not None and self._clock.now() < self._broken[0]:
            return self._broken[1]
        for attempt in count():
            try:
                await self._open()
            except GuestFaultError as fault:
                return fault
            except HostFaultError as fault:
                self._metrics.count("engine_errors", self._label)
                is_last = attempt >= self._settings.host_retries and not self.serving
                if is_last and not self._may_come_back(fault):
                    return fault
            else:
                return None
            jitter = 1 + random.random()  # noqa: S311 -- no secret
            await self._clock.sleep(min(_SLOWEST_RETRY_SECONDS, 0.1 * 2**attempt) * jitter)
            if self.serving or not self.has_work():
                return None
        raise AssertionError  # count() has no end

    def _may_come_back(self, fault: HostFaultError) -> bool:
        """Whether to wait longer for an engine that answered before and does not answer now: it may be restarting."""
        if isinstance(fault, ImageMissingError):  # the engine answers and refuses
            return False
        now = self._clock.now()
        if self._failing_since is None:
            self._failing_since = now
        served_before = self._metrics.total("boxes_opened") > 0
        return served_before and now - self._failing_since < self._settings.engine_patience_seconds
