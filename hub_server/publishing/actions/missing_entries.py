"""Releases that the journal does not name yet, because they were published before the hub kept one."""

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.database.package_changes import exclude_other_numbers
from hub_server.database.read_only import read_only_reason
from hub_server.errors import ReadOnlyError
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import queries
from schemas.journal.entries import Statement
from schemas.package import ReleaseState
from schemas.wording import counted

_BATCH = 1000
_SAY_EVERY = timedelta(seconds=5)
_PAUSE_SECONDS = 0.25
"""Between two batches on SQLite, where whoever waits for the lock looks for it every 0.1 s. Without a pause others
waited 3 s for one process that enters (for two, until they had ended), and they get an error after 15.
"""


def enter_missing_releases(
    services: Services, say: Callable[[str], None] = lambda _: None, is_stopped: Callable[[], bool] = lambda: False
) -> int:
    """Enter every release that the journal lacks, and how it stands; returns how many there were.

    Called when a hub starts. Processes that start together wait for one another, and enter each release once. ``say``
    gets a sentence before the first, every five seconds, and at the end. Once ``is_stopped``, the rest is left to a
    later start: each batch is a transaction. Raises ``ReadOnlyError`` in read-only mode.
    """
    with services.database.reading() as session:
        if read_only_reason(session) is not None:
            raise ReadOnlyError("This hub is read-only: what the journal lacks is entered later.")
        lacking = count_missing_entries(UnitOfWork(session, services))
    if not lacking:
        return 0
    say(f"Entering {counted(lacking, 'release')} in the journal, published before this hub kept one.")
    with services.database.writing() as session:
        # Now, for a batch takes the lock of the order of commits first: it would hold it and wait for a publish that
        # has written the key and waits for the lock.
        journal.remember_key(UnitOfWork(session, services))
    total, last, said_at = 0, "", services.clock.now()
    while not is_stopped():
        with services.database.writing() as session:
            exclude_other_numbers(session)
            work = UnitOfWork(session, services)
            # From the last one on: each batch looked again at all that were entered before, and cost more and more.
            rows = queries.releases_without_entry(session, last, _BATCH)
            enter_releases(work, rows)
            last = rows[-1].id if rows else last
        total += len(rows)
        if len(rows) < _BATCH:
            say(f"The journal names {counted(total, 'release')} more: it is complete.")
            return total
        if services.clock.now() - said_at >= _SAY_EVERY:
            say(f"{total} of {counted(lacking, 'release')} entered in the journal.")
            said_at = services.clock.now()
        if services.database.is_sqlite:
            time.sleep(_PAUSE_SECONDS)
    return total


def count_missing_entries(work: UnitOfWork) -> int:
    """How many releases the journal lacks. Counts both, so it is asked until there are none, and no longer.

    The journal first: PostgreSQL counts each as of its own moment, and a publish between the two is one too many. The
    other way round it would be one too few, and a journal that lacks a release would count as complete for good.
    """
    named = journal.count_publishes(work)
    return max(0, catalog.count_everything(work)["releases"] - named)


def enter_releases(work: UnitOfWork, rows: Iterable[ReleaseRow | queries.Unentered]) -> None:
    """Enter releases that the journal lacks, and how they stand.

    A release stands there since everybody sees it: a reader who asks for a least age asks how long others could look.
    """
    journal.add_entries(work, [entry for row in rows for entry in _entries_of(work, row)])


def _entries_of(work: UnitOfWork, row: ReleaseRow | queries.Unentered) -> Iterator[Statement]:
    yield journal.publish_of(row.package_id, row.version, row.digest, row.public_since or row.published_at)
    state = ReleaseState(row.state)
    if state is not ReleaseState.ACTIVE:
        is_taken_down = row.taken_down_reason is not None
        yield journal.state_of(row.package_id, row.version, row.digest, state, work.now, is_taken_down=is_taken_down)
