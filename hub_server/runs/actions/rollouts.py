"""Rollouts of a run."""

from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.actions.room import size_of_rollouts, take_room
from hub_server.runs.actions.run_rows import get_row, own_run, run_of, touch, uses_private
from hub_server.runs.errors import RunNotFoundError
from hub_server.runs.models import RolloutLineRow
from hub_server.runs.rules.reports import (
    MAX_ROLLOUTS,
    check_count,
    check_number,
)
from schemas.page import Page
from schemas.run import RolloutRow, Run


def log_rollouts(work: UnitOfWork, run_id: str, rollouts: list[RolloutRow]) -> None:
    """Append rollouts."""
    row = own_run(work, run_id)
    check_count(len(rollouts), MAX_ROLLOUTS, "rollouts")
    for rollout in rollouts:
        check_number(rollout.step, "step")
        check_number(rollout.tokens, "tokens")
        check_text([*rollout.rewards, *rollout.held_out], "The name of a reward")
    if not row.is_private and uses_private(work, [rollout.package for rollout in rollouts]):
        row.is_private = True
    take_room(work, row, size_of_rollouts(rollouts))
    queries.add_rollouts(work.session, [_line_of(run_id, rollout) for rollout in rollouts])
    touch(work, row, (rollout.step for rollout in rollouts))


def list_rollouts(
    work: UnitOfWork,
    run_id: str,
    *,
    phase: str | None = None,
    step: int | None = None,
    cursor: str | None = None,
    limit: int = 20,
    is_newest_first: bool = False,
) -> Page[RolloutRow]:
    """Rollouts in the order they came, or the other way round, with the counts of phases and steps."""
    get_row(work, run_id)
    check_number(step, "step")
    order = "newest rollouts" if is_newest_first else "rollouts"
    after = decode_cursor(cursor, order, int)
    rows = queries.page_of_rollouts(
        work.session,
        run_id,
        phase,
        step,
        after[0] if after else None,
        check_limit(limit) + 1,
        is_newest_first=is_newest_first,
    )
    asked = check_limit(limit) + 1
    # One row more than is shown says that there is a next page; a page of very long rows ends before its limit.
    shown = rows[:-1] if len(rows) == asked or (len(rows) > 1 and queries.is_long(rows)) else rows
    more = encode_cursor(order, shown[-1].id) if len(shown) < len(rows) else None
    return Page[RolloutRow](
        items=[_rollout_of(row) for row in shown], next=more, facets=queries.count_rollouts(work.session, run_id)
    )


def get_rollout(work: UnitOfWork, run_id: str, number: int) -> RolloutRow:
    """One rollout of a run. Raises ``RunNotFoundError``."""
    get_row(work, run_id)
    row = queries.find_rollout(work.session, run_id, number) if 0 <= number < 2**63 else None
    if row is None:
        raise RunNotFoundError(f"Run {run_id} has no rollout {number}.")
    return _rollout_of(row)


def newest_rollouts(work: UnitOfWork, package: str, limit: int) -> list[tuple[RolloutRow, Run]]:
    """The newest rollouts that the package's verifier judged, each with its run."""
    rows = queries.newest_rollouts(work.session, package, limit)
    return [(_rollout_of(rollout), run_of(run)) for rollout, run in rows]


def _line_of(run_id: str, rollout: RolloutRow) -> RolloutLineRow:
    return RolloutLineRow(run_id=run_id, **rollout.model_dump(exclude={"id"}))


def _rollout_of(row: RolloutLineRow) -> RolloutRow:
    return RolloutRow.read({name: getattr(row, name) for name in RolloutRow.model_fields})
