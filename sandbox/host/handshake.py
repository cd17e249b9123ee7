"""What a box says first: that it is ready, or why it cannot be."""

import asyncio

from sandbox.errors import BoxLostError, TimeLimitError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.clock import Clock
from sandbox.host.guest_messages import ReadyReport, load_failure, read_ready


class ImportEndedError(VerifierFailedError):
    """A box died before it was ready. Once may be the machine's fault; the second time counts as the package's."""


class Handshake:
    """The first frame of one box. ``has_package``: a box without a package can fail only by a fault of the host."""

    def __init__(self, clock: Clock, *, has_package: bool) -> None:
        self._clock = clock
        self._has_package = has_package
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

    async def report(self, seconds: float) -> ReadyReport:
        """Wait so long for READY. Raises the error that a FAILED frame names, TimeLimitError if the package takes
        longer, BoxLostError if there is no package to blame, and VerifierFailedError for a malformed report.
        """
        timer = self._clock.call_later(seconds, lambda: self.fail(self._too_slow(seconds)))
        try:
            return read_ready(await self._answer)
        finally:
            timer.cancel()

    def _too_slow(self, seconds: float) -> Exception:
        if self._has_package:
            return TimeLimitError(f"importing the package took longer than {seconds:g} s")
        return BoxLostError(f"a solution box did not become ready within {seconds:g} s")
