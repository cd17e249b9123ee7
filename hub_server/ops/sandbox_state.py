"""Whether code can be run, for whoever watches the hub. An engine that hangs is waited for shortly."""

import math

from hub_server.kernel.looks import LookError, Looks
from hub_server.kernel.services import Services

PATIENCE_SECONDS = 2.0  # chosen: an engine answers in milliseconds; a probe or a scrape waits 5 to 10 s in all


class SandboxState:
    """What ``/readyz`` and ``/metrics`` say of the sandbox. One for each process."""

    def __init__(self, services: Services) -> None:
        self._unknown = f"unknown: its engine has not answered within {PATIENCE_SECONDS:g} seconds"
        self._looks = Looks(services.executor.unavailable_reason, patience_seconds=PATIENCE_SECONDS, name="sandbox")

    def describe(self) -> str:
        """``ok``, why no code can run, or that this is not known."""
        try:
            return self._looks.found() or "ok"
        except LookError:
            return self._unknown

    def gauge(self) -> float:
        """1 where code can run, 0 where not, NaN where that is not known."""
        try:
            return float(self._looks.found() is None)
        except LookError:
            return math.nan
