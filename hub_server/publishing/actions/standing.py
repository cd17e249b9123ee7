"""Yank and deprecate: how a release stands may change, its bytes never."""

from hub_server.caller import require_owner
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import QuarantinedError
from hub_server.catalog.models import ReleaseRow
from hub_server.work import Work
from schemas.account import Scope
from schemas.names import split_package_id
from schemas.package import Release, ReleaseState


def yank_release(work: Work, package_id: str, version: str, reason: str) -> Release:
    """Take a release out of ``@latest`` and of ranges; whoever pins it exactly still gets it, with the reason."""
    return _set_state(work, package_id, version, ReleaseState.YANKED, reason)


def unyank_release(work: Work, package_id: str, version: str) -> Release:
    """Undo a yank."""
    return _set_state(work, package_id, version, ReleaseState.ACTIVE, "")


def deprecate_release(work: Work, package_id: str, version: str, reason: str) -> Release:
    """Keep a release resolvable, with a banner that says what to use instead."""
    return _set_state(work, package_id, version, ReleaseState.DEPRECATED, reason)


def undeprecate_release(work: Work, package_id: str, version: str) -> Release:
    """Undo a deprecation."""
    return _set_state(work, package_id, version, ReleaseState.ACTIVE, "")


def _set_state(work: Work, package_id: str, version: str, state: ReleaseState, reason: str) -> Release:
    require_owner(work.caller, split_package_id(package_id)[0], Scope.PUBLISH)
    row: ReleaseRow = catalog.resolve_release(work, package_id, version)
    if row.state == ReleaseState.QUARANTINED:
        raise QuarantinedError(f"{package_id} {row.version} is quarantined: only a moderator can change how it stands.")
    row.state, row.state_reason = state.value, reason
    catalog.refresh_package(work, package_id)
    return catalog.release_of(row)
