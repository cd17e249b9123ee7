"""What the owners of a package may do with it as a whole: give it away, archive it, delete what nobody uses yet."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import actions
from hub_server.ownership.rules import DELETABLE_FOR
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.proof import ProvenTransactionsDep, proof_first
from hub_server.web.dependencies import ReadTransaction
from schemas.ownership import TransferCreate

router = APIRouter(include_in_schema=False)
_LISTED = 100


class SettingsForm(BaseModel):
    """What was typed in one of the page's forms; each needs some of it."""

    model_config = ConfigDict(frozen=True)

    act: str = ""
    reason: str = ""
    to: str = ""
    version: str = ""
    confirmed: str = ""


@router.get("/packages/{owner}/{name}/settings")
def settings_page(request: Request, work: ReadTransaction, at: PackageAt) -> Response:
    """The forms."""
    return proof_first(work, f"/packages/{at.package}/settings") or _show(request, work, at, SettingsForm())


@router.post("/packages/{owner}/{name}/settings")
def change_package(
    request: Request, transactions: ProvenTransactionsDep, at: PackageAt, form: Annotated[SettingsForm, Form()]
) -> Response:
    """Do what one of the forms asks for. A refusal comes back with what was typed."""

    def change() -> Response:
        act = _ACTS.get(form.act)
        if act is None:
            raise InvalidRequestError(f"{form.act!r} is unknown: use one of {', '.join(_ACTS)}.")
        with transactions.writing() as work:
            act(work, at.package, form)
        return RedirectResponse(f"/packages/{at.package}/settings", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show(request, work, at, form, refusal)

    return send_form(change, show)


def _offer(work: UnitOfWork, package: str, form: SettingsForm) -> None:
    try:
        body = TransferCreate(to=form.to.strip())
    except ValidationError:
        raise InvalidRequestError(f"{form.to!r} is not the name of an account.") from None
    actions.offer_package(work, package, body)


def _delete(work: UnitOfWork, package: str, form: SettingsForm) -> None:
    wanted = f"{package} {form.version}" if form.version else package
    if form.confirmed.strip() != wanted:
        raise InvalidRequestError(f"Type {wanted} to say that you mean it: this cannot be undone.")
    if form.version:
        actions.delete_release(work, package, form.version)
    else:
        actions.delete_package(work, package)


_ACTS: dict[str, Callable[[UnitOfWork, str, SettingsForm], object]] = {
    "archive": lambda work, package, form: actions.archive_package(work, package, form.reason),
    "unarchive": lambda work, package, _: actions.unarchive_package(work, package),
    "offer": _offer,
    "take-back": lambda work, package, _: actions.take_back_offer(work, package),
    "delete": _delete,
}


def _show(
    request: Request, work: UnitOfWork, at: PackageAt, form: SettingsForm, refusal: FormRefusal = NOT_SENT
) -> HTMLResponse:
    head = head_of(work, at, "Settings")
    owner = head.detail.owner
    if work.caller is None or not work.caller.maintains(owner):
        raise NotAllowedError(f"These are settings for who may publish {at.package}.")
    since = work.now - DELETABLE_FOR
    releases = catalog.list_releases(work, at.package, limit=_LISTED).items
    fresh = [one for one in releases if one.published_at > since and one.taken_down_reason is None]
    context = {
        **head.context(),
        "title": f"Settings of {at.package}",
        "json_url": f"{API}{head.base}/transfers",
        "governs": accounts.governs(work, work.caller.name, owner),
        "offer": actions.find_offer(work, at.package),
        "transfers": [one for one in actions.list_transfers(work, at.package) if one.answered_at is not None],
        "fresh": fresh,
        "form": form,
        "problem": refusal.problem,
    }
    return render(request, work, "package_settings.html", status=refusal.status, **context)
