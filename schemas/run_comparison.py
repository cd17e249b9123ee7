"""Runs side by side: their numbers, and differences where an interval can be given."""

from schemas.base import WireModel
from schemas.measures.intervals import Interval
from schemas.run import Run


class ComparedNumber(WireModel):
    """A number of the run ``letter`` (A is the first), and its difference from the first run's that has it."""

    letter: str
    number: Interval
    difference: Interval | None = None


class ComparedRow(WireModel):
    """One number of all runs that have it. ``why_not``: why no difference stands there; empty where it does."""

    name: str
    sides: list[ComparedNumber]
    why_not: str = ""


class ComparedRuns(WireModel):
    """Two to four runs, in the order that was asked for. Their curves are those of ``GET /runs/{run_id}/metrics``."""

    runs: list[Run]
    rows: list[ComparedRow]
