"""Every SQL statement about runs."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, literal, select, tuple_
from sqlalchemy.orm import Session, defer

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.runs.models import MetricPointRow, RolloutLineRow, RunPackageRow, RunRow, TaskRateRow
from schemas.run import RunFilter, RunSort, RunState

LONG: Mapping[str, object] = MappingProxyType({"packages": [], "rewards": {}, "config": {}, "summary": {}, "note": ""})
"""Fields of a run that may hold megabytes, and what stands for them where only its outcomes are asked for."""
MOST_LETTERS = 4 * 2**20
"""Of prompts and responses in one page of rollouts: a run may hold a megabyte in each."""


def find_run(session: Session, run_id: str) -> RunRow | None:
    """The run, or None."""
    return session.get(RunRow, run_id)


def lock_run(session: Session, run_id: str) -> RunRow | None:
    """The run, locked until the transaction ends."""
    return session.scalar(select(RunRow).where(RunRow.id == run_id).with_for_update())


def page_of_runs(
    session: Session, wanted: RunFilter, before: Sequence[Any] | None, limit: int, sort: RunSort = RunSort.NEWEST
) -> list[RunRow]:
    """Runs in an order. ``before``: what the last one of the page before has in it: its id, after its last reward
    where that is the order.
    """
    order = [RunRow.last_reward, RunRow.id] if sort is RunSort.REWARD else [RunRow.id]
    statement = select(RunRow).where(RunRow.owner.not_in(hidden_names()))
    equal = {
        RunRow.owner: wanted.owner,
        RunRow.model: wanted.model,
        RunRow.kind: wanted.kind,
        RunRow.state: wanted.state,
    }
    for column, value in equal.items():
        if value is not None:
            statement = statement.where(column == value)
    if wanted.package is not None:
        used = select(RunPackageRow.run_id).where(RunPackageRow.package_id == wanted.package)
        statement = statement.where(RunRow.id.in_(used))
    if sort is RunSort.REWARD:
        statement = statement.where(RunRow.last_reward.is_not(None))
    if before is not None:
        statement = statement.where(tuple_(*order) < tuple_(*map(literal, before)))
    return list(session.scalars(statement.order_by(*(column.desc() for column in order)).limit(limit)))


def count_runs_with(session: Session, package: str) -> int:
    """How many runs used a package, of those that the viewer sees."""
    statement = select(func.count()).select_from(RunRow).join(RunPackageRow, RunPackageRow.run_id == RunRow.id)
    wanted = statement.where(RunPackageRow.package_id == package, RunRow.owner.not_in(hidden_names()))
    return session.scalar(wanted) or 0


def newest_evaluations(session: Session, package: str, limit: int, most_of_one: int) -> list[RunRow]:
    """Finished evaluations that used a package, newest first, at most ``most_of_one`` of each account.

    Everybody's newest come before anybody's second, so that some accounts with many runs each push out nobody's.
    Without ``LONG``: settings of half a megabyte cost every view of a package's page 1.5 ms of CPU for each run.
    """
    statement = _newest_evaluations(limit, most_of_one)
    return sorted(session.scalars(statement, {"package": package}), key=lambda row: row.id, reverse=True)


@cache  # every view of a package asks for it, and to build it costs as much as to read its answer
def _newest_evaluations(limit: int, most_of_one: int) -> Select[RunRow]:
    place = func.row_number().over(partition_by=RunRow.owner, order_by=RunRow.id.desc()).label("place")
    numbered = (
        select(RunRow.id, place)
        .join(RunPackageRow, RunPackageRow.run_id == RunRow.id)
        .where(
            RunPackageRow.package_id == bindparam("package"),
            RunRow.kind == "evaluation",
            RunRow.state == RunState.FINISHED.value,
            RunRow.owner.not_in(hidden_names()),
        )
        .subquery()
    )
    statement = select(RunRow).join(numbered, numbered.c.id == RunRow.id).where(numbered.c.place <= most_of_one)
    short = [defer(getattr(RunRow, name)) for name in LONG]
    return statement.order_by(numbered.c.place, RunRow.id.desc()).limit(limit).options(*short)


def packages_evaluated_by(session: Session, account: str) -> list[str]:
    """The packages that an account's finished evaluations used."""
    wanted = select(RunPackageRow.package_id).join(RunRow, RunRow.id == RunPackageRow.run_id)
    wanted = wanted.where(RunRow.owner == account, RunRow.kind == "evaluation", RunRow.state == RunState.FINISHED.value)
    return list(session.scalars(wanted.distinct()))


def stored_bytes_of(session: Session, owner: str) -> int:
    """What is kept of all runs of an account, private ones too."""
    with seeing(session, EVERYTHING):
        return int(session.scalar(select(func.sum(RunRow.stored_bytes)).where(RunRow.owner == owner)) or 0)


def metrics_at(session: Session, run_id: str, steps: Sequence[int]) -> list[dict[str, Any]]:
    """The metrics of those of the steps that are there."""
    at = MetricPointRow.step.in_(steps)
    return list(session.scalars(select(MetricPointRow.metrics).where(MetricPointRow.run_id == run_id, at)))


def replace_metrics(session: Session, run_id: str, points: dict[int, MetricPointRow]) -> None:
    """Write points by step; a step that is sent again replaces the old one."""
    session.execute(
        delete(MetricPointRow).where(MetricPointRow.run_id == run_id, MetricPointRow.step.in_(list(points)))
    )
    session.add_all(points.values())
    session.flush()


def metrics_of(session: Session, run_id: str, most: int) -> list[MetricPointRow]:
    """Points by step: all, or every second, third … so that at most ``most`` and the last come."""
    count = session.scalar(select(func.count()).where(MetricPointRow.run_id == run_id)) or 0
    every = -(-count // most) if count else 1
    numbered = (
        select(MetricPointRow.step, func.row_number().over(order_by=MetricPointRow.step.desc()).label("place"))
        .where(MetricPointRow.run_id == run_id)
        .subquery()
    )
    kept = select(numbered.c.step).where((numbered.c.place - 1) % every == 0)
    statement = select(MetricPointRow).where(MetricPointRow.run_id == run_id).order_by(MetricPointRow.step)
    return list(session.scalars(statement.where(MetricPointRow.step.in_(kept)) if every > 1 else statement))


def add_rollouts(session: Session, rows: list[RolloutLineRow]) -> None:
    """Append rollouts."""
    session.add_all(rows)
    session.flush()


def page_of_rollouts(
    session: Session,
    run_id: str,
    phase: str | None,
    step: int | None,
    after: int | None,
    limit: int,
    *,
    is_newest_first: bool = False,
) -> list[RolloutLineRow]:
    """Rollouts in the order they came, or the other way round, and no more of them than ``MOST_LETTERS`` hold; one at
    least. ``after``: the id of the last one of the page before.
    """
    number = RolloutLineRow.id
    statement = select(RolloutLineRow).where(RolloutLineRow.run_id == run_id)
    if phase is not None:
        statement = statement.where(RolloutLineRow.phase == phase)
    if step is not None:
        statement = statement.where(RolloutLineRow.step == step)
    if after is not None:
        statement = statement.where(number < after if is_newest_first else number > after)
    taken: list[RolloutLineRow] = []
    with session.scalars(
        statement.order_by(number.desc() if is_newest_first else number).limit(limit).execution_options(yield_per=8)
    ) as rows:
        for row in rows:
            taken.append(row)
            if len(taken) > 1 and is_long(taken):
                break
    return taken


def is_long(rows: Sequence[RolloutLineRow]) -> bool:
    """Whether these rows hold more than ``MOST_LETTERS``."""
    return sum(len(row.prompt) + len(row.response) for row in rows) > MOST_LETTERS


def find_rollout(session: Session, run_id: str, number: int) -> RolloutLineRow | None:
    """The run's rollout of that number, or None."""
    row = session.get(RolloutLineRow, number)
    return row if row is not None and row.run_id == run_id else None


def newest_rollouts(session: Session, package: str, limit: int) -> list[tuple[RolloutLineRow, RunRow]]:
    """The newest rollouts that a package's verifier judged, with their runs; failed calls are left out."""
    used = select(RunPackageRow.run_id).where(RunPackageRow.package_id == package)
    statement = (
        select(RolloutLineRow, RunRow)
        .join(RunRow, RunRow.id == RolloutLineRow.run_id)
        .where(
            RolloutLineRow.run_id.in_(used),
            RolloutLineRow.package.in_((package, "")),
            RolloutLineRow.error == "",
            RunRow.owner.not_in(hidden_names()),
        )
    )
    rows = session.execute(statement.order_by(RolloutLineRow.id.desc()).limit(limit))
    return [(row[0], row[1]) for row in rows]


def newest_attempts(
    session: Session, package: str, run_ids: Sequence[str], limit: int
) -> list[tuple[str, str, dict[str, float | None]]]:
    """(run, task, rewards) of the newest judged rollouts of these runs in a package, without their texts."""
    columns = (RolloutLineRow.run_id, RolloutLineRow.task_id, RolloutLineRow.rewards)
    statement = select(*columns).where(
        RolloutLineRow.run_id.in_(run_ids), RolloutLineRow.package.in_((package, "")), RolloutLineRow.error == ""
    )
    rows = session.execute(statement.order_by(RolloutLineRow.id.desc()).limit(limit))
    return [(row[0], row[1], row[2]) for row in rows]


def replace_task_rates(session: Session, package: str, rows: Sequence[TaskRateRow]) -> None:
    """Keep ``rows`` as all that is known of a package's tasks."""
    session.execute(delete(TaskRateRow).where(TaskRateRow.package_id == package))
    session.add_all(rows)
    session.flush()


def task_rates_of(session: Session, package: str, major: str) -> list[tuple[str, int, int, int]]:
    """(task, successes, attempts, models) of a package's tasks that were tried in releases of a major version."""
    columns = (TaskRateRow.task_id, TaskRateRow.successes, TaskRateRow.attempts, TaskRateRow.models)
    statement = select(*columns).where(TaskRateRow.package_id == package, TaskRateRow.major == major)
    return [(row[0], row[1], row[2], row[3]) for row in session.execute(statement)]


def count_rollouts(session: Session, run_id: str) -> dict[str, dict[str, int]]:
    """Rollouts by phase and by step, for the filters of the run's page."""
    counts: dict[str, dict[str, int]] = {}
    columns: dict[str, Any] = {"phase": RolloutLineRow.phase, "step": RolloutLineRow.step}
    for name, column in columns.items():
        statement = select(column, func.count()).where(RolloutLineRow.run_id == run_id)
        rows = session.execute(statement.group_by(column).order_by(column))
        counts[name] = {str(value): number for value, number in rows}
    return counts
