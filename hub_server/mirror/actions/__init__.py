"""What a mirror does: follow another hub, and say how it stands."""

from hub_server.mirror.actions.passes import note_problem, run_pass
from hub_server.mirror.actions.status import describe, gauges

__all__ = ["describe", "gauges", "note_problem", "run_pass"]
