"""How many bytes one run, and all runs of one account, may take: nobody fills the hub's disk with reports."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.errors import RunTooLargeError
from hub_server.runs.models import RunRow
from schemas.run import RolloutRow

_OF_A_ROW = 100
"""What a row takes besides its texts, roughly: numbers, and its places in indexes."""
_SPARE = 1.1
"""Metrics and the end of a run may take a tenth more than rollouts: full rollouts cost no run its curve or its end."""
_NEARLY = 0.9
"""From this share of a limit on, the owner is told."""
_MIB = 2**20


def take_room(work: UnitOfWork, row: RunRow, more: int, *, is_spare: bool = False) -> None:
    """Count ``more`` bytes of a run, whose owner's account is locked. Raises ``RunTooLargeError``.

    ``more``: below 0 where bytes are freed, which nothing refuses. ``is_spare``: they may take the tenth that is kept
    from rollouts.
    """
    limits, share = work.services.settings.limits, _SPARE if is_spare else 1.0
    if more > 0:
        if row.stored_bytes + more > limits.run_bytes * share:
            raise RunTooLargeError(
                f"This run would take {_in_mib(row.stored_bytes + more)}, and the limit of this hub for one run is "
                f"{_in_mib(limits.run_bytes)}: report fewer or shorter rollouts, or begin another run."
            )
        whole = queries.stored_bytes_of(work.session, row.owner) + more
        if whole > limits.runs_bytes_each * share:
            raise RunTooLargeError(
                f"All runs of {row.owner} would take {_in_mib(whole)}, and the limit of this hub for one account is "
                f"{_in_mib(limits.runs_bytes_each)}: delete runs that you do not need (`verihub owner delete-run`)."
            )
    row.stored_bytes = max(0, row.stored_bytes + more)  # what an upgrade found was counted roughly


def words_of_room(work: UnitOfWork, run_id: str) -> str:
    """Which limit the run's rollouts have nearly reached, for its owner; empty while there is room."""
    row, limits = queries.find_run(work.session, run_id), work.services.settings.limits
    if row is None:
        return ""
    if row.stored_bytes > _NEARLY * limits.run_bytes:
        return (
            f"This run takes {_in_mib(row.stored_bytes)} of the {_in_mib(limits.run_bytes)} that this hub gives one run"
        )
    whole = queries.stored_bytes_of(work.session, row.owner)
    if whole > _NEARLY * limits.runs_bytes_each:
        return (
            f"Your runs take {_in_mib(whole)} of the {_in_mib(limits.runs_bytes_each)} that this hub gives one account"
        )
    return ""


def size_of_run(row: RunRow) -> int:
    """What is kept of the run itself."""
    kept = [row.name, row.model, row.recipe, row.packages, row.rewards, row.config, row.summary, row.outcomes, row.note]
    return _OF_A_ROW + sum(map(_size_of, kept))


def size_of_rollouts(rollouts: Iterable[RolloutRow]) -> int:
    """How many bytes are stored of rollouts."""
    return sum(_OF_A_ROW + sum(map(_size_of, rollout.model_dump().values())) for rollout in rollouts)


def size_of_metrics(points: Iterable[Mapping[str, Any]]) -> int:
    """How many bytes are stored of the metrics of steps."""
    return sum(_OF_A_ROW + _size_of(point) for point in points)


def _size_of(value: Any) -> int:
    """As the database keeps it: a text in UTF-8, anything else as JSON, in which a letter beyond ASCII takes 6 or 12.

    A text that no database takes has a size too: who writes it is refused for that.
    """
    return len(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else json.dumps(value))


def _in_mib(size: int) -> str:
    return f"{size / _MIB:,.1f} MiB"
