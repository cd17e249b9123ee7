"""Everything that one person or organisation has published, and what it says of itself."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.collections import actions as collections
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.forms import FormRefusal, read_fields, send_form
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.watches import actions as watches
from hub_server.web.dependencies import ReadTransaction
from schemas.account import Invitation, Organization, Profile, Role
from schemas.package import PackageSort

router = APIRouter(include_in_schema=False)
COLLECTIONS_SHOWN = 20


@router.get("/owners/{owner}")
def owner_page(request: Request, work: ReadTransaction, owner: str, cursor: str | None = None) -> HTMLResponse:
    """Everything that one person or organisation has published."""
    return show_owner(request, work, owner, cursor=cursor)


@router.post("/owners/{owner}/profile")
def change_profile(
    request: Request,
    transactions: ProvenTransactionsDep,
    owner: str,
    display_name: Annotated[str, Form()] = "",
    description: Annotated[str, Form()] = "",
    link: Annotated[str, Form()] = "",
) -> Response:
    """Say anew who this is. A refusal comes back with what was typed."""
    typed = {"display_name": display_name, "description": description, "link": link}

    def act() -> Response:
        with transactions.writing() as work:
            accounts.change_profile(work, owner, read_fields(Profile, typed))
        return RedirectResponse(f"/owners/{quote(owner)}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        problem = " ".join([refusal.problem, *refusal.errors.values()])
        with transactions.reading() as work:
            return show_owner(request, work, owner, problem=problem, status=refusal.status, typed=typed)

    return send_form(act, show)


def show_owner(
    request: Request,
    work: UnitOfWork,
    owner: str,
    *,
    cursor: str | None = None,
    problem: str = "",
    status: int = 200,
    typed: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """The owner's page; ``problem``: why a change was refused; ``typed``: what was typed of the profile."""
    profile = accounts.get_profile(work, owner)
    organization = accounts.get_organization(work, owner) if profile.kind == "organization" else None
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
        invitation=_invitation_to(work, organization),
        may_publish=_may_publish(work, owner, organization),
        roles=[role.value for role in Role],
        title=owner,
        description=profile.description or f"What {owner} has published on this hub.",
        profile=profile,
        typed=typed,
        may_describe=work.caller is not None and accounts.governs(work, work.caller.name, owner),
        section="Packages",
        json_url=f"{API}/packages?owner={quote(owner)}",
        owner=owner,
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


def _invitation_to(work: UnitOfWork, organization: Organization | None) -> Invitation | None:
    """What the organisation asks the reader, who has not answered yet."""
    if organization is None or work.caller is None or not work.caller.by_session:
        return None
    asked = accounts.list_invitations(work)
    return next((one for one in asked if one.organization == organization.name), None)


def _role_in(work: UnitOfWork, organization: Organization | None) -> str:
    """The caller's role in it, or empty."""
    members = organization.members if organization is not None and work.caller is not None else []
    return next((one.role.value for one in members if work.caller and one.account == work.caller.name), "")
