"""How long the host waits for a box, and how long one box serves."""

from dataclasses import dataclass

from sandbox.host.solution_relay import Allowance


@dataclass(frozen=True)
class BoxLimits:
    """How long the host waits for a box. It ends a box ``grace_seconds`` after the guest's own clock should have."""

    grace_seconds: float = 1.0
    start_seconds: float = 60.0
    solution_seconds: float = 60.0
    """The longest time limit of one solution."""
    solution_patience_seconds: float = 600.0
    """How long a call waits for one solution, its place in the queue included."""
    most_call_groups: int = 10_000
    """A box is replaced after so many call groups."""
    lifetime_seconds: float = 3600.0
    """A box is replaced after so long."""

    def allowance(self, timeout_seconds: float, call_count: int) -> Allowance:
        """What calls with this time limit may use for solutions."""
        return Allowance.of(timeout_seconds, call_count, self.solution_seconds, self.solution_patience_seconds)
