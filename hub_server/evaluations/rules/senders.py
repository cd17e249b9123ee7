"""Who sent an entry of a leaderboard."""

from datetime import datetime
from typing import NamedTuple


class EntrySender(NamedTuple):
    """Who sent the newest results of one model under one harness, when, and of which run.

    ``others``: how many more submissions the entry rests on.
    """

    by: str
    at: datetime
    run_id: str | None
    others: int
