"""Organisations: found one, and change its members. What there is stands on the owner's page."""

from collections.abc import Callable
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ValidationError

from hub_server.accounts import actions
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.owner import show_owner
from hub_server.site.rendering.templates import render
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form
from hub_server.site.sections.proof import ProvenTransactionsDep, proof_first
from hub_server.web.dependencies import ReadTransaction, Transactions
from schemas.account import Member, OrganizationCreate, Role

router = APIRouter(include_in_schema=False)
_NEW = "/organizations/new"
_WRONG_NAME = "A name is 2 to 39 of a-z and 0-9."


@router.get(_NEW)
def organization_form(request: Request, work: ReadTransaction) -> Response:
    """The empty form."""
    return proof_first(work, _NEW) or _show_form(request, work, "")


@router.post("/organizations")
def create_organization(
    request: Request, transactions: ProvenTransactionsDep, name: Annotated[str, Form()] = ""
) -> Response:
    """Found an organisation, and go to its page. A refusal comes back with what was typed."""

    def create() -> Response:
        try:
            body = OrganizationCreate(name=name.strip())
        except ValidationError:
            raise InvalidRequestError(_WRONG_NAME) from None
        with transactions.writing() as work:
            actions.create_organization(work, body)
        return RedirectResponse(f"/owners/{quote(body.name)}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_form(request, work, name, refusal)

    return send_form(create, show)


@router.post("/owners/{owner}/members")
def change_member(
    request: Request,
    transactions: ProvenTransactionsDep,
    owner: str,
    account: Annotated[str, Form()] = "",
    role: Annotated[str, Form()] = Role.MEMBER.value,
) -> Response:
    """Ask somebody in, or give a member another role."""

    def change(work: UnitOfWork) -> None:
        try:
            member = Member(account=account.strip(), role=Role(role))
        except (ValidationError, ValueError):
            raise InvalidRequestError(_WRONG_NAME) from None
        actions.invite_member(work, owner, member)

    return _changed(request, transactions, owner, change)


@router.post("/owners/{owner}/members/{account}/remove")
def remove_member(request: Request, transactions: ProvenTransactionsDep, owner: str, account: str) -> Response:
    """Remove a member, take an invitation back, or leave."""
    return _changed(request, transactions, owner, lambda work: actions.remove_member(work, owner, account))


def _changed(
    request: Request, transactions: Transactions, owner: str, change: Callable[[UnitOfWork], object]
) -> Response:
    def act() -> Response:
        with transactions.writing() as work:
            change(work)
        return RedirectResponse(f"/owners/{quote(owner)}#members", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return show_owner(request, work, owner, problem=refusal.problem, status=refusal.status)

    return send_form(act, show)


def _show_form(request: Request, work: UnitOfWork, name: str, refusal: FormRefusal = NOT_SENT) -> HTMLResponse:
    context = {"title": "A new organisation", "section": "Account", "name": name, "problem": refusal.problem}
    return render(request, work, "new_organization.html", status=refusal.status, **context)
