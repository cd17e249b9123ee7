"""Files inside a release."""

from datetime import UTC, timedelta

from hub_server.catalog.actions.releases import resolve_release, usable_release
from hub_server.catalog.actions.trends import first_day
from hub_server.catalog.errors import FileMissingError
from hub_server.catalog.queries import counts as count_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.queries import trends as trend_queries
from hub_server.catalog.rules.trends import TREND_DAYS, sender_number
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.names import LATEST
from schemas.package import ReleaseFile


def list_files(work: UnitOfWork, package_id: str, version: str = LATEST) -> list[ReleaseFile]:
    """Every file in the wheel, by path."""
    row = resolve_release(work, package_id, version)
    return package_queries.files_of(work.session, row.id)


def read_file(work: UnitOfWork, package_id: str, version: str, path: str) -> bytes:
    """A file's bytes, by its path from the wheel's root.

    Raises ``FileMissingError``; nothing is ever unpacked to a disk.
    """
    row = usable_release(work, package_id, version)
    files = work.services.wheels.contents(row.digest).files
    if path not in files:
        raise FileMissingError(f"{package_id} {row.version} holds no file {path!r}.")
    return files[path]


def get_readme(work: UnitOfWork, package_id: str, version: str = LATEST) -> str:
    """The release's README, Markdown, untrusted."""
    return resolve_release(work, package_id, version).readme


def count_download(work: UnitOfWork, package_id: str, version: str, sender: str) -> None:
    """Count one download of a release. ``sender``: whose it was; who it was is not kept."""
    row = resolve_release(work, package_id, version)
    count_queries.count_download(work.session, row.id, row.package_id, work.today)
    number = sender_number(row.package_id, sender)
    trend_queries.count_sender(work.session, row.package_id, number, work.today, first_day(work, TREND_DAYS))


def list_downloads(work: UnitOfWork, package_id: str, days: int = 30) -> list[int]:
    """Downloads of each of the last ``days`` days (UTC), today last."""
    today = work.now.astimezone(UTC).date()
    dates = [(today - timedelta(days=back)).isoformat() for back in range(days - 1, -1, -1)]
    known = count_queries.downloads_since(work.session, package_id, dates[0])
    return [known.get(day, 0) for day in dates]
