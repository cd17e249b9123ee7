"""Whether a run that claims to be running has sent nothing for a long time."""

from datetime import datetime, timedelta

from schemas.run import Run, RunState

SILENT_FOR = timedelta(hours=1)
"""The bundled trainer sends every step; its steps take seconds to minutes."""


def is_silent(run: Run, now: datetime) -> bool:
    """Whether a running run has sent nothing for an hour. It may go on: a later point ends the silence."""
    return run.state is RunState.RUNNING and now - run.updated_at > SILENT_FOR
