"""Delete a release or a package, soon after a mistake. Later, or once others have built on a release, only yank it.

As after a takedown, version, digest and reason stay. The name stays its owner's, and the version is never given out
again. So nobody can publish other bytes for what somebody's lock names.
"""

from hub_server.accounts import actions as accounts
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import QuarantinedError
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import EVERYTHING, seeing
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import Caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import queries
from hub_server.ownership.errors import StillUsedError
from hub_server.ownership.rules import why_not_deleted
from hub_server.publishing import queries as publishing_queries
from schemas.package import ReleaseState

REASON = "Deleted by its owner."


def delete_release(work: UnitOfWork, package_id: str, version: str) -> None:
    """Delete one release for good.

    Raises ``StillUsedError`` for one that is older than three days or that others have built on, ``QuarantinedError``
    for one that moderators look at.
    """
    _own_package(work, package_id)
    row = catalog.resolve_release(work, package_id, version)
    if version not in (row.version, row.digest):
        raise InvalidRequestError(f"Name the release: {version!r} may mean another one tomorrow.")
    _delete(work, [row])


def delete_package(work: UnitOfWork, package_id: str) -> None:
    """Delete every release of a package for good, or none. Its owner may publish a later version."""
    _own_package(work, package_id)
    _delete(work, [row for row in catalog.release_rows(work, package_id) if row.taken_down_reason is None])


def _own_package(work: UnitOfWork, package_id: str) -> PackageRow:
    """The package, locked, where the caller may delete it; nobody publishes meanwhile, so nobody begins to need it."""
    caller = accounts.require_proof(work)
    # Whoever does not see it learns nothing, and who may not delete it holds up nobody's publish.
    _require_governor(work, caller, catalog.get_package_row(work, package_id))
    publishing_queries.exclude_publishes(work.session)
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    _require_governor(work, caller, package)  # it may have been given away a moment ago
    catalog.refuse_barred(package)
    return package


def _require_governor(work: UnitOfWork, caller: Caller, package: PackageRow) -> None:
    if not accounts.governs(work, caller.name, package.owner):
        raise NotAllowedError(f"Only {package.owner} may delete {package.id}: the account, or an owner of it.")


def _delete(work: UnitOfWork, rows: list[ReleaseRow]) -> None:
    for row in rows:
        if row.state == ReleaseState.QUARANTINED:
            raise QuarantinedError(f"{row.package_id} {row.version} is quarantined: {row.state_reason}")
        owners = audits.owners_of(work, row.package_id)
        with seeing(work.session, EVERYTHING):
            refusal = why_not_deleted(row.published_at, work.now, queries.uses_of(work.session, row, owners))
        if refusal:
            raise StillUsedError(
                f"{row.package_id} {row.version} cannot be deleted, because {refusal}. "
                "Yank it: then only those who pin it get it."
            )
    for row in rows:
        audits.erase_measurements(work, row.id)
        catalog.take_down_release(work, row, REASON)
    if rows:
        package_id, versions = rows[0].package_id, ", ".join(row.version for row in rows)
        receivers = accounts.governors_of(work, catalog.get_package_row(work, package_id).owner)
        accounts.queue_notices(work, "release_deleted", receivers, thing=package_id, other=versions)
