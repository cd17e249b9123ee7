"""Quarantine: a package or a release that nobody can use until a moderator lifts it."""

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.own_matters import people_behind, refuse_lifting_own
from schemas.package import PackageDetail, Release


def quarantine_release(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """Quarantine: the release stays visible, but nobody can download or execute it, not even by an exact pin.

    Reversible. Its owner can publish another version: to stop that, quarantine the package.
    """
    accounts.require_proven_moderator(work)
    row = catalog.resolve_release(work, package_id, version)
    catalog.set_fact(work, row, "quarantined", require_reason(reason, "A quarantine"))
    note_act(work, "quarantine", reason, package_id=package_id, version=row.version)
    return catalog.release_of(row)


def release_from_quarantine(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """End a release's quarantine. One that was yanked or deprecated before is so again."""
    accounts.require_proven_moderator(work)
    row = catalog.resolve_release(work, package_id, version)
    behind = [*people_behind(work, package_id), row.published_by]
    refuse_lifting_own(work, "quarantine", "release", behind, package_id=package_id, version=row.version)
    if row.quarantined_reason is None:
        raise InvalidRequestError(f"{package_id} {version} is not quarantined.")
    catalog.set_fact(work, row, "quarantined", None)
    note_act(work, "release", reason, package_id=package_id, version=row.version)
    return catalog.release_of(row)


def quarantine_package(work: UnitOfWork, package_id: str, reason: str) -> PackageDetail:
    """Quarantine a whole package: none of its releases can be used, it is in no list, and nothing is added to it.

    Reversible; what was quarantined, yanked or deprecated by itself stays so afterwards.
    """
    accounts.require_proven_moderator(work)
    package = catalog.get_package_row(work, package_id)
    catalog.set_package_fact(work, package, "quarantined", require_reason(reason, "A quarantine"))
    note_act(work, "quarantine_package", reason, package_id=package_id)
    return catalog.get_package(work, package_id)


def unquarantine_package(work: UnitOfWork, package_id: str, reason: str) -> PackageDetail:
    """End the quarantine of a whole package."""
    accounts.require_proven_moderator(work)
    package = catalog.get_package_row(work, package_id)
    behind = people_behind(work, package_id)
    refuse_lifting_own(work, "quarantine_package", "release_package", behind, package_id=package_id)
    if package.quarantined_reason is None:
        raise InvalidRequestError(f"{package_id} is not quarantined as a whole.")
    catalog.set_package_fact(work, package, "quarantined", None)
    note_act(work, "release_package", reason, package_id=package_id)
    return catalog.get_package(work, package_id)
