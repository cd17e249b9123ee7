"""Create a run, change it, read it."""

import json
import re

from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog.queries import search as search_queries
from hub_server.database.base import new_id
from hub_server.database.visibility import Viewer, see_as
from hub_server.kernel.caller import require_caller
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.job_names import JobName
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.actions.difficulty import note_difficulty
from hub_server.runs.actions.room import size_of_run, take_room
from hub_server.runs.actions.run_rows import (
    GATHER_DELAY_SECONDS,
    get_row,
    known_packages,
    own_run,
    run_of,
    uses_private,
)
from hub_server.runs.models import RunPackageRow, RunRow
from hub_server.runs.rules.reports import (
    check_kind,
    check_outcome,
    check_release,
    check_size,
    check_summary,
)
from schemas.account import Scope
from schemas.events import EventKind
from schemas.page import Page
from schemas.run import Run, RunCreate, RunFilter, RunSort, RunState, RunUpdate

_EVERY = RunFilter()
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
    check_size(data, "The run")
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
        note="",
        outcomes=[],
        stored_bytes=0,
        created_at=now,
        updated_at=now,
    )
    account_queries.lock_account(work.session, caller.account_id)  # two at once are counted one after the other
    take_room(work, row, size_of_run(row))
    work.session.add(row)
    work.session.flush()
    used = {package.package for package in body.packages}
    work.session.add_all(RunPackageRow(run_id=row.id, package_id=package) for package in sorted(used))
    return run_of(row)


def update_run(work: UnitOfWork, run_id: str, change: RunUpdate) -> Run:
    """Change a run's state, summary or note. Only its owner may."""
    row = own_run(work, run_id)
    check_text(change.model_dump(), "The change")
    check_size(change.model_dump(mode="json", exclude_none=True), "The change")
    before = size_of_run(row)
    if change.state is not None:
        if change.state is RunState.FINISHED and row.state != change.state:
            work.announce_run(EventKind.RUN_FINISHED, row.id, row.owner)
        row.state = change.state.value
    if change.summary is not None:
        check_summary(change.summary)
        row.summary = change.model_dump(mode="json")["summary"]
    if change.outcomes is not None:
        for outcome in change.outcomes:
            check_release(outcome.environment, outcome.version)
            check_outcome(outcome)
        row.is_private = row.is_private or uses_private(work, [one.environment for one in change.outcomes])
        row.outcomes = [outcome.model_dump(mode="json") for outcome in change.outcomes]
    if change.note is not None:
        row.note = change.note
    take_room(work, row, size_of_run(row) - before, is_spare=True)
    row.updated_at = work.now
    if change.state is RunState.FINISHED:
        _look_for_disagreements(work, row)
        note_difficulty(work, row)
    return run_of(row)


def get_run(work: UnitOfWork, run_id: str) -> Run:
    """One run. Raises ``RunNotFoundError``."""
    return run_of(get_row(work, run_id))


def count_runs_with(work: UnitOfWork, package_id: str) -> int:
    """How many runs used a package."""
    return queries.count_runs_with(work.session, package_id)


def list_runs(
    work: UnitOfWork,
    wanted: RunFilter = _EVERY,
    *,
    sort: RunSort = RunSort.NEWEST,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[Run]:
    """Runs, newest or highest last reward first: everybody's, or those that fit the filter."""
    by_reward = sort is RunSort.REWARD
    kind, types = ("runs by reward", (float, str)) if by_reward else ("runs", (str,))
    after = decode_cursor(cursor, kind, *types)
    rows = queries.page_of_runs(work.session, wanted, after, check_limit(limit) + 1, sort)
    last = rows[limit - 1] if len(rows) > limit else None
    more = None
    if last is not None:
        more = encode_cursor(kind, last.last_reward, last.id) if by_reward else encode_cursor(kind, last.id)
    return Page[Run](items=[run_of(row) for row in rows[:limit]], next=more)


def _names_private(work: UnitOfWork, body: RunCreate) -> bool:
    """Whether a new run's pins, settings, name or recipe name a private package.

    A trainer pins what it trains on. A verifier that only watches (``held_out_verifier``) stands in the settings alone.
    """
    text = json.dumps([body.name, body.recipe, body.config, [pin.package for pin in body.packages]], ensure_ascii=False)
    named = _PACKAGE_NAMES.findall(re.sub(r"\\[a-z]", " ", text))  # a newline is two letters there
    return not search_queries.private_ids(work.session).isdisjoint(named)


def _look_for_disagreements(work: UnitOfWork, row: RunRow) -> None:
    """Let other verifiers judge this run's rollouts.

    Where verdicts differ, people are asked for labels (see ``audits``). A name without a package causes no job.
    """
    for package in known_packages(work, (pin["package"] for pin in row.packages)):
        work.queue(
            JobName.GATHER_DISAGREEMENTS,
            {"package": package},
            unique_key=f"gather:{package}",
            delay_seconds=GATHER_DELAY_SECONDS,
        )
