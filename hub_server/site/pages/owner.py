"""Everything that one person or organisation has published."""

from datetime import datetime
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import OrganizationNotFoundError
from hub_server.catalog import actions
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.collections import actions as collections
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.watches import actions as watches
from hub_server.web.dependencies import ReadTransaction
from schemas.account import Organization, Role
from schemas.package import PackageSort

router = APIRouter(include_in_schema=False)
COLLECTIONS_SHOWN = 20


@router.get("/owners/{owner}")
def owner_page(request: Request, work: ReadTransaction, owner: str, cursor: str | None = None) -> HTMLResponse:
    """Everything that one person or organisation has published."""
    return show_owner(request, work, owner, cursor=cursor)


def show_owner(
    request: Request,
    work: UnitOfWork,
    owner: str,
    *,
    cursor: str | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    """The owner's page; ``problem``: why a change of its members was refused."""
    organization, joined = _owner_profile(work, owner)
    asked = SearchRequest(owner=owner, sort=PackageSort.UPDATED, cursor=cursor)
    page = actions.search_packages(work, asked)
    return render(
        request,
        work,
        "owner.html",
        status=status,
        problem=problem,
        organization=organization,
        my_role=_role_in(work, organization),
        may_publish=_may_publish(work, owner, organization),
        roles=[role.value for role in Role],
        title=owner,
        section="Packages",
        json_url=f"{API}/packages?owner={quote(owner)}",
        owner=owner,
        joined=joined,
        suspended_reason=accounts.get_any_account(work, owner).suspended_reason,
        page=page,
        next_url=f"/owners/{owner}?{urlencode({'cursor': page.next})}" if page.next else None,
        collections=collections.list_collections(work, owner=owner, limit=COLLECTIONS_SHOWN).items,
        runs_url=f"/runs?owner={quote(owner)}",
        watch_url=f"/owners/{quote(owner)}/watch",
        is_watching=watches.is_watching(work, owner, None),
    )


def _may_publish(work: UnitOfWork, owner: str, organization: Organization | None) -> bool:
    if work.caller is None:
        return False
    return work.caller.name == owner or _role_in(work, organization) in (Role.OWNER, Role.MAINTAINER)


def _role_in(work: UnitOfWork, organization: Organization | None) -> str:
    """The caller's role in it, or empty."""
    members = organization.members if organization is not None and work.caller is not None else []
    return next((one.role.value for one in members if work.caller and one.account == work.caller.name), "")


def _owner_profile(work: UnitOfWork, owner: str) -> tuple[Organization | None, datetime]:
    """The organisation (none for a person) and since when. Raises ``AccountNotFoundError`` where there is neither."""
    try:
        organization = accounts.get_organization(work, owner)
    except OrganizationNotFoundError:
        return None, accounts.get_account(work, owner).created_at
    return organization, organization.created_at
