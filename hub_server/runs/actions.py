"""What can be done with runs: create, report to, read."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.catalog import queries as catalog_queries
from hub_server.database.base import new_id
from hub_server.database.visibility import EVERYBODY, Viewer, see_as, seeing
from hub_server.kernel.caller import require_caller, require_owner
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.errors import RunNotFoundError
from hub_server.runs.models import MetricPointRow, RolloutLineRow, RunPackageRow, RunRow
from hub_server.runs.rules.difficulty import difficulty_of
from hub_server.runs.rules.reports import (
    MAX_METRICS_A_POINT,
    MAX_POINTS,
    MAX_ROLLOUTS,
    check_count,
    check_kind,
    check_moment,
    check_number,
    check_outcome,
    check_release,
)
from schemas.account import Scope
from schemas.events import EventKind
from schemas.measures.corrected import Observed, observed_interval
from schemas.page import Page
from schemas.run import MetricPoint, Metrics, RolloutRow, Run, RunCreate, RunFilter, RunOutcome, RunState, RunUpdate

GATHER_DELAY_SECONDS = 2
_EVERY = RunFilter()
MOST_POINTS_READ = 2000
"""So many points of a run are answered at once: more than a curve can show."""
MOST_EVALUATIONS, MOST_OF_ONE_ACCOUNT = 100, 10
_PACKAGE_NAMES = re.compile(r"(?<![a-z0-9-])(?=([a-z0-9-]+/[a-z0-9-]+))")
"""Also those that overlap, as in an address that ends with one."""


def create_run(work: UnitOfWork, body: RunCreate) -> Run:
    """Start a run that belongs to the caller."""
    caller = require_caller(work.caller, Scope.RUNS)
    see_as(work.session, Viewer(caller.owners))  # whoever sends runs need not read, and must not make one public
    check_text(body.model_dump(), "The run")
    for pin in body.packages:
        check_release(pin.package, pin.version)
    now = work.now
    data = body.model_dump(mode="json")
    row = RunRow(
        id=new_id(now),
        name=body.name,
        owner=caller.name,
        is_private=body.is_private or _names_private(work, body),
        kind=check_kind(body.kind),
        state=RunState.RUNNING.value,
        model=body.model,
        recipe=body.recipe,
        packages=data["packages"],
        rewards=data["rewards"],
        config=data["config"],
        summary={},
        created_at=now,
        updated_at=now,
    )
    work.session.add(row)
    work.session.flush()
    used = {package.package for package in body.packages}
    work.session.add_all(RunPackageRow(run_id=row.id, package_id=package) for package in sorted(used))
    return _run_of(row)


def _names_private(work: UnitOfWork, body: RunCreate) -> bool:
    """Whether a new run's pins, settings, name or recipe name a private package.

    A trainer pins what it trains on. A verifier that only watches (``held_out_verifier``) stands in the settings alone.
    """
    text = json.dumps([body.name, body.recipe, body.config, [pin.package for pin in body.packages]], ensure_ascii=False)
    named = _PACKAGE_NAMES.findall(re.sub(r"\\[a-z]", " ", text))  # a newline is two letters there
    return not catalog_queries.private_ids(work.session).isdisjoint(named)


def _uses_private(work: UnitOfWork, packages: Sequence[str]) -> bool:
    """Whether one of the packages is private. A run with it is, too: it names the package, and quotes its tasks."""
    return any(row.is_private for row in catalog_queries.packages_by_ids(work.session, sorted(set(packages))).values())


def update_run(work: UnitOfWork, run_id: str, change: RunUpdate) -> Run:
    """Change a run's state, summary or note. Only its owner may."""
    row = _own_run(work, run_id)
    check_text(change.model_dump(), "The change")
    if change.state is not None:
        if change.state is RunState.FINISHED and row.state != change.state:
            work.announce_run(EventKind.RUN_FINISHED, row.id, row.owner)
        row.state = change.state.value
    if change.summary is not None:
        row.summary = change.model_dump(mode="json")["summary"]
    if change.outcomes is not None:
        for outcome in change.outcomes:
            check_release(outcome.environment, outcome.version)
            check_outcome(outcome)
        row.is_private = row.is_private or _uses_private(work, [one.environment for one in change.outcomes])
        row.outcomes = [outcome.model_dump(mode="json") for outcome in change.outcomes]
    if change.note is not None:
        row.note = change.note
    row.updated_at = work.now
    if change.state is RunState.FINISHED:
        _look_for_disagreements(work, row)
        _note_difficulty(work, row)
    return _run_of(row)


def _note_difficulty(work: UnitOfWork, row: RunRow) -> None:
    """Search finds environments by what models reached on them, in runs that everybody sees."""
    if not row.is_private:
        pinned = {str(pin["package"]) for pin in row.packages}
        _queue_difficulty(work, pinned & {str(outcome["environment"]) for outcome in row.outcomes})


def follow_hidden_account(work: UnitOfWork, account: str) -> None:
    """An account's runs were hidden or are shown again: what it reported of environments counts no more, or again."""
    _queue_difficulty(work, queries.packages_evaluated_by(work.session, account))


def _queue_difficulty(work: UnitOfWork, packages: Iterable[str]) -> None:
    """Not at once: an evaluation may be of 200 environments, each with a hundred earlier ones."""
    for package in sorted(packages):
        work.queue(
            JobName.MEASURE_DIFFICULTY,
            {"package": package},
            unique_key=f"difficulty:{package}",
            delay_seconds=GATHER_DELAY_SECONDS,
        )


def measure_difficulty(work: UnitOfWork, package: str) -> None:
    """Write how hard an environment is, by the newest evaluations that everybody sees."""
    with seeing(work.session, EVERYBODY):
        release = catalog.find_release(work, package, "latest")
        if release is None:
            return
        owner = catalog.owner_of(work, package)
        members = accounts.members_by_organization(work, [owner]).get(owner, set())
        measured = [
            (owner if run.owner in members else run.owner, run.model, observed_interval(_observed(outcome)))
            for run, outcome in list_pass_rates(work, package, release.version)
            if outcome.pass_rate is not None
        ]
        catalog.record_difficulty(work, package, difficulty_of(measured))


def _observed(outcome: RunOutcome) -> Observed:
    return Observed(outcome.pass_rate or 0.0, max(min(outcome.tries, outcome.attempts), 1.0))


def _look_for_disagreements(work: UnitOfWork, row: RunRow) -> None:
    """Let other verifiers judge this run's rollouts.

    Where verdicts differ, people are asked for labels (see ``audits``).
    """
    for package in sorted({pin["package"] for pin in row.packages}):
        work.queue(
            JobName.GATHER_DISAGREEMENTS,
            {"package": package},
            unique_key=f"gather:{package}",
            delay_seconds=GATHER_DELAY_SECONDS,
        )


def log_metrics(work: UnitOfWork, run_id: str, points: list[MetricPoint]) -> None:
    """Write metrics by step; sending a step again replaces it, so a retry is harmless."""
    row = _own_run(work, run_id)
    check_count(len(points), MAX_POINTS, "metric points")
    check_count(max((len(point.values) for point in points), default=0), MAX_METRICS_A_POINT, "metrics in one step")
    for point in points:
        check_number(point.step, "step")
        check_text(list(point.values), "The name of a metric")
    now = work.now
    rows = {
        point.step: MetricPointRow(
            run_id=run_id, step=point.step, at=check_moment(point.at) or now, metrics=dict(point.values)
        )
        for point in points
    }
    queries.replace_metrics(work.session, run_id, rows)
    _touch(work, row, (point.step for point in points))


def log_rollouts(work: UnitOfWork, run_id: str, rollouts: list[RolloutRow]) -> None:
    """Append rollouts."""
    row = _own_run(work, run_id)
    check_count(len(rollouts), MAX_ROLLOUTS, "rollouts")
    for rollout in rollouts:
        check_number(rollout.step, "step")
        check_number(rollout.tokens, "tokens")
        check_text([*rollout.rewards, *rollout.held_out], "The name of a reward")
    if not row.is_private and _uses_private(work, [rollout.package for rollout in rollouts]):
        row.is_private = True
    queries.add_rollouts(work.session, [_line_of(run_id, rollout) for rollout in rollouts])
    _touch(work, row, (rollout.step for rollout in rollouts))


def _line_of(run_id: str, rollout: RolloutRow) -> RolloutLineRow:
    return RolloutLineRow(run_id=run_id, **rollout.model_dump(exclude={"id"}))


def _touch(work: UnitOfWork, row: RunRow, steps: Iterable[int]) -> None:
    row.last_step = max(steps, default=row.last_step) if row.last_step is None else max([*steps, row.last_step])
    row.updated_at = work.now


def get_run(work: UnitOfWork, run_id: str) -> Run:
    """One run. Raises ``RunNotFoundError``."""
    return _run_of(_get_row(work, run_id))


def list_runs(
    work: UnitOfWork,
    wanted: RunFilter = _EVERY,
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[Run]:
    """Runs, newest first: everybody's, or those that fit the filter."""
    after = decode_cursor(cursor, "runs", str)
    rows = queries.page_of_runs(work.session, wanted, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("runs", rows[limit - 1].id) if len(rows) > limit else None
    return Page[Run](items=[_run_of(row) for row in rows[:limit]], next=more)


def list_pass_rates(work: UnitOfWork, package: str, version: str) -> list[tuple[Run, RunOutcome]]:
    """How models did on a package, in releases of ``version``'s major version.

    The newest evaluation of each account, model and harness, newest first, among the last ``MOST_EVALUATIONS``, of
    which at most ``MOST_OF_ONE_ACCOUNT`` are one account's: nobody pushes out the others.
    """
    major = version.partition(".")[0]
    newest: dict[tuple[str, str, str], tuple[Run, RunOutcome]] = {}
    for row in queries.newest_evaluations(work.session, package, MOST_EVALUATIONS, MOST_OF_ONE_ACCOUNT):
        run = _run_of(row, without=queries.LONG)
        for outcome in run.outcomes:
            if outcome.environment == package and outcome.version.partition(".")[0] == major:
                newest.setdefault((run.owner, run.model, outcome.harness), (run, outcome))
    return list(newest.values())


def get_metrics(work: UnitOfWork, run_id: str) -> Metrics:
    """Points of a run, by step: at most ``MOST_POINTS_READ``, evenly thinned, the last among them."""
    _get_row(work, run_id)
    rows = queries.metrics_of(work.session, run_id, MOST_POINTS_READ)
    return Metrics(items=[MetricPoint(step=row.step, at=row.at, values=row.metrics) for row in rows])


def list_rollouts(
    work: UnitOfWork,
    run_id: str,
    *,
    phase: str | None = None,
    step: int | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[RolloutRow]:
    """Rollouts in the order they came, with the counts of phases and steps."""
    _get_row(work, run_id)
    check_number(step, "step")
    after = decode_cursor(cursor, "rollouts", int)
    rows = queries.page_of_rollouts(
        work.session, run_id, phase, step, after[0] if after else None, check_limit(limit) + 1
    )
    asked = check_limit(limit) + 1
    # One row more than is shown says that there is a next page; a page of very long rows ends before its limit.
    shown = rows[:-1] if len(rows) == asked or (len(rows) > 1 and queries.is_long(rows)) else rows
    more = encode_cursor("rollouts", shown[-1].id) if len(shown) < len(rows) else None
    return Page[RolloutRow](
        items=[_rollout_of(row) for row in shown], next=more, facets=queries.count_rollouts(work.session, run_id)
    )


def get_rollout(work: UnitOfWork, run_id: str, number: int) -> RolloutRow:
    """One rollout of a run. Raises ``RunNotFoundError``."""
    _get_row(work, run_id)
    row = queries.find_rollout(work.session, run_id, number) if 0 <= number < 2**63 else None
    if row is None:
        raise RunNotFoundError(f"Run {run_id} has no rollout {number}.")
    return _rollout_of(row)


def newest_rollouts(work: UnitOfWork, package: str, limit: int) -> list[tuple[RolloutRow, Run]]:
    """The newest rollouts that the package's verifier judged, each with its run."""
    rows = queries.newest_rollouts(work.session, package, limit)
    return [(_rollout_of(rollout), _run_of(run)) for rollout, run in rows]


def _get_row(work: UnitOfWork, run_id: str) -> RunRow:
    row = queries.find_run(work.session, run_id)
    sees_hidden = work.caller is not None and work.caller.is_moderator
    if row is None or (not sees_hidden and queries.is_hidden_owner(work.session, row.owner)):
        raise RunNotFoundError(f"There is no run {run_id!r} on this hub.")
    return row


def _own_run(work: UnitOfWork, run_id: str) -> RunRow:
    caller = require_caller(work.caller, Scope.RUNS)
    see_as(work.session, Viewer(caller.owners))
    row = queries.lock_run(work.session, run_id)
    if row is None:
        raise RunNotFoundError(f"There is no run {run_id!r} on this hub.")
    require_owner(work.caller, row.owner, Scope.RUNS)
    return row


def _run_of(row: RunRow, *, without: Mapping[str, object] = MappingProxyType({})) -> Run:
    """``without``: fields that are not read, and what stands for them."""
    return Run.read({name: without[name] if name in without else getattr(row, name) for name in Run.model_fields})


def _rollout_of(row: RolloutLineRow) -> RolloutRow:
    return RolloutRow.read({name: getattr(row, name) for name in RolloutRow.model_fields})
