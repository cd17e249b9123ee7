"""Takedown: what a package or a release holds is removed for good."""

from hub_server.accounts import actions as accounts
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.discussions import actions as discussions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.reports import seen_by
from schemas.package import Release


def take_down_release(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """Remove a release's content for good: files, words, and what was measured of it.

    A tombstone stays: version, digest, reason. Cannot be undone.
    """
    accounts.require_proven_moderator(work)
    row = catalog.resolve_release(work, package_id, version)
    _take_down(work, row, require_reason(reason, "A takedown"))
    note_act(work, "take_down", reason, package_id=package_id, version=row.version)
    return catalog.release_of(row)


def _take_down(work: UnitOfWork, row: ReleaseRow, reason: str) -> None:
    audits.erase_measurements(work, row.id)
    catalog.take_down_release(work, row, reason)


def take_down_package(work: UnitOfWork, package_id: str, reason: str) -> None:
    """Remove every release of a package for good, and answer for it with the reason alone. Cannot be undone.

    Open reports about it are ended by this act.
    """
    moderator = accounts.require_proven_moderator(work)
    package = catalog.get_package_row(work, package_id)
    words = require_reason(reason, "A takedown")
    for row in catalog.release_rows(work, package_id):
        if row.taken_down_reason is None:
            _take_down(work, row, words)
    discussions.erase_discussions(work, package_id)
    catalog.set_package_fact(work, package, "taken_down", words)
    decision = f"The package was taken down: {words}"
    about, seen = queries.about_package(package_id), seen_by(work, moderator)
    queries.end_open_reports(work.session, about, moderator.name, work.now, decision, seen)
    note_act(work, "take_down", words, package_id=package_id)
