"""The first message of a box: it is ready, or why it failed to start."""

import asyncio
from collections.abc import Callable

from sandbox.errors import BoxLostError, StarvedError, TimeLimitError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.clock import Clock, Timer
from sandbox.host.guest_messages import ReadyReport, load_failure, read_ready

_MOST_TIMES = 5
"""A box that the machine keeps from a processor gets more time, at most this many times its limit."""


_LEAST_MISSING = 0.1
"""A box that was kept waiting for less than this share of its limit counts as not kept waiting."""


def _not_kept_waiting(_: float) -> float:
    return 0.0


class ImportEndedError(VerifierFailedError):
    """A box died before it was ready. That may be the machine's fault; when it goes on it counts as the package's."""


class ImportKilledError(BoxLostError):
    """A box was killed from outside before it was ready: never the package's fault, and tried again as often."""


class Handshake:
    """The first frame of one box. ``has_package``: a box without a package can fail only by a fault of the host."""

    def __init__(self, clock: Clock, *, has_package: bool) -> None:
        self._clock = clock
        self._has_package = has_package
        self._timer: Timer
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def take(self, kind: int, payload: bytes) -> None:
        """READY or FAILED. Raises ProtocolError for anything else, and for a second one."""
        if self._answer.done() or kind not in (frames.READY, frames.FAILED):
            raise frames.ProtocolError(f"a frame of kind {kind}")
        if kind == frames.READY:
            self._answer.set_result(payload)
        else:
            self._answer.set_exception(load_failure(payload))

    def fail(self, error: Exception) -> None:
        """The box will not become ready. This has no effect once it has said that it is ready."""
        if not self._answer.done():
            self._answer.set_exception(error)
            self._answer.exception()  # nobody may be waiting; that is fine

    async def report(self, seconds: float, waited: Callable[[float], float] = _not_kept_waiting) -> ReadyReport:
        """Wait for READY, at most ``seconds``.

        ``waited(passed)`` returns for how many of the passed seconds the machine kept the box from a processor. Those
        do not count, so that a package is not blamed for a busy machine.

        Raises the error that a FAILED frame names, TimeLimitError if the package takes longer, BoxLostError if there is
        no package to blame, StarvedError if the machine had no time for it, VerifierFailedError for a malformed report.
        """
        began = self._clock.now()

        def look() -> None:
            passed = self._clock.now() - began
            missing = seconds - (passed - waited(passed))
            if missing <= _LEAST_MISSING * seconds:
                self.fail(self._too_slow(seconds))
            elif passed >= _MOST_TIMES * seconds:
                self.fail(StarvedError(f"the machine had no time for a box: less than {seconds:g} s in {passed:g}"))
            else:
                self._timer = self._clock.call_later(min(missing, _MOST_TIMES * seconds - passed), look)

        self._timer = self._clock.call_later(seconds, look)
        try:
            return read_ready(await self._answer)
        finally:
            self._timer.cancel()

    def _too_slow(self, seconds: float) -> Exception:
        if self._has_package:
            return TimeLimitError(f"importing the package took longer than {seconds:g} s")
        return BoxLostError(f"a solution box did not become ready within {seconds:g} s")
