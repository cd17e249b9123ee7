"""Archive a package: nothing more of it is published. Its releases stay usable and are still measured.

Counter-examples are still accepted. Otherwise an owner could keep a good grade by archiving.
"""

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import require_caller, require_publisher
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.events import EventKind
from schemas.package import PackageDetail


def archive_package(work: UnitOfWork, package_id: str, reason: str) -> PackageDetail:
    """Publish no more of a package, and say so on its page, in lists and to pip. Its releases stay as they are."""
    require_caller(work.caller, Scope.PUBLISH)
    if not reason.strip():
        raise InvalidRequestError("Archiving needs a reason: users of the package will read it.")
    return _set(work, package_id, reason.strip())


def unarchive_package(work: UnitOfWork, package_id: str) -> PackageDetail:
    """Go on with an archived package."""
    return _set(work, package_id, None)


def _set(work: UnitOfWork, package_id: str, reason: str | None) -> PackageDetail:
    require_caller(work.caller, Scope.PUBLISH)
    owner = catalog.get_package_row(work, package_id).owner
    if require_publisher(work.caller, package_id, owner).only:
        raise NotAllowedError("A workflow's token publishes releases, and neither archives nor opens a package.")
    package = package_queries.lock_package(work.session, package_id)
    assert package is not None
    require_publisher(work.caller, package_id, package.owner)  # it may have been given away a moment ago
    if (package.archived_reason is None) != (reason is None):
        work.announce(EventKind.PACKAGE_REOPENED if reason is None else EventKind.PACKAGE_ARCHIVED, package_id)
        if reason is not None:
            accounts.queue_notices(
                work, "package_archived", accounts.governors_of(work, package.owner), thing=package_id
            )
    package.archived_reason = reason
    catalog.refresh_package(work, package_id)
    return catalog.get_package(work, package_id)
