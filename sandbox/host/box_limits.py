"""How long the host waits for a box, and how long one box serves."""

from dataclasses import dataclass
from typing import Self

from sandbox.host.solution_relay import Allowance
from sandbox.settings import SandboxSettings


@dataclass(frozen=True)
class BoxLimits:
    """How long the host waits for a box. It ends a box ``grace_seconds`` after the guest's own clock should have."""

    grace_seconds: float
    start_seconds: float
    solution_seconds: float
    """The longest time limit of one solution."""
    solution_patience_seconds: float
    """How long a call waits for one solution, its place in the queue included."""
    most_call_groups: int
    """A box is replaced after so many call groups."""
    lifetime_seconds: float
    """A box is replaced after so long."""

    @classmethod
    def of(cls, settings: SandboxSettings) -> Self:
        """As the settings say, which alone have defaults."""
        return cls(
            grace_seconds=settings.grace_seconds,
            start_seconds=settings.start_timeout_seconds,
            solution_seconds=settings.solution_timeout_seconds,
            solution_patience_seconds=settings.solution_patience_seconds,
            most_call_groups=settings.box_call_groups,
            lifetime_seconds=settings.box_lifetime_seconds,
        )

    def allowance(self, timeout_seconds: float, call_count: int) -> Allowance:
        """What calls with this time limit may use for solutions."""
        return Allowance.of(timeout_seconds, call_count, self.solution_seconds, self.solution_patience_seconds)
