"""Releases that the journal does not name yet, because they were published before the hub kept one."""

from collections.abc import Iterable

from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.database.package_changes import exclude_other_numbers
from hub_server.database.read_only import read_only_reason
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import queries
from schemas.package import ReleaseState

_BATCH = 1000


def enter_missing_releases(services: Services) -> int:
    """Enter every release that the journal lacks, and how it stands; returns how many there were.

    Called when a hub starts; one that is read-only does it at a later start. Processes that start together wait for one
    another, and enter each release once.
    """
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        is_complete = journal.count_publishes(work) >= catalog.count_everything(work)["releases"]
        if is_complete or read_only_reason(session) is not None:
            return 0
    total, last = 0, ""
    while True:
        with services.database.writing() as session:
            exclude_other_numbers(session)
            work = UnitOfWork(session, services)
            # From the last one on: each batch looked again at all that were entered before, and cost more and more.
            rows = queries.releases_without_entry(session, last, _BATCH)
            enter_releases(work, rows)
            last = rows[-1].id if rows else last
        total += len(rows)
        if len(rows) < _BATCH:
            return total


def enter_releases(work: UnitOfWork, rows: Iterable[ReleaseRow]) -> None:
    """Enter releases that the journal lacks, and how they stand."""
    for row in rows:
        journal.record_publish(work, row.package_id, row.version, row.digest, row.published_at)
        state = ReleaseState(row.state)
        if state is not ReleaseState.ACTIVE:
            is_taken_down = row.taken_down_reason is not None
            journal.record_state(work, row.package_id, row.version, row.digest, state, is_taken_down=is_taken_down)
