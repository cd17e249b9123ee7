"""How long the host waits for a box, and how long one box serves."""

from dataclasses import dataclass

from sandbox.host.solution_relay import Allowance


@dataclass(frozen=True)
class BoxLimits:
    """How long the host waits for a box. ``grace_seconds`` after a guest's own clock it ends the box."""

    grace_seconds: float = 1.0
    start_seconds: float = 60.0
    solution_seconds: float = 60.0
    """The most that one solution may take."""
    solution_patience_seconds: float = 600.0
    """How long a call waits for one solution, its place in the queue included."""
    most_call_groups: int = 10_000
    """After so many call groups a box is worn."""
    lifetime_seconds: float = 3600.0
    """After so long a box is worn."""

    def allowance(self, timeout_seconds: float, call_count: int) -> Allowance:
        """What calls with this time limit may use for solutions."""
        return Allowance.of(timeout_seconds, call_count, self.solution_seconds, self.solution_patience_seconds)
