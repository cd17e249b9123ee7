"""Yank and deprecate: the status of a release may change, its bytes never do."""

from typing import Literal

from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import QuarantinedError
from hub_server.database.visibility import Viewer, see_as
from hub_server.kernel.caller import require_publisher
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.package import Release, ReleaseState


def yank_release(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """Take a release out of ``@latest`` and of ranges; whoever pins it exactly still gets it, with the reason."""
    return _set(work, package_id, version, "yanked", reason)


def unyank_release(work: UnitOfWork, package_id: str, version: str) -> Release:
    """Undo a yank."""
    return _set(work, package_id, version, "yanked", None)


def deprecate_release(work: UnitOfWork, package_id: str, version: str, reason: str) -> Release:
    """Keep a release resolvable, with a banner that says what to use instead."""
    return _set(work, package_id, version, "deprecated", reason)


def undeprecate_release(work: UnitOfWork, package_id: str, version: str) -> Release:
    """Undo a deprecation."""
    return _set(work, package_id, version, "deprecated", None)


def _set(
    work: UnitOfWork, package_id: str, version: str, fact: Literal["yanked", "deprecated"], reason: str | None
) -> Release:
    caller = require_publisher(work.caller, package_id, catalog.owner_of(work, package_id))
    see_as(work.session, Viewer(caller.owners, only_package=caller.only_package))  # whoever publishes need not read
    row = catalog.resolve_release(work, package_id, version)
    if row.state == ReleaseState.QUARANTINED:
        raise QuarantinedError(f"{package_id} {row.version} is quarantined: only a moderator can change its status.")
    setattr(row, f"{fact}_by", caller.name if reason is not None else None)
    setattr(row, f"{fact}_at", work.now if reason is not None else None)
    catalog.set_fact(work, row, fact, reason)
    return catalog.release_of(row)
