"""What one watches: buttons on pages, the list, and the link in mails that ends them."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import PackageAt
from hub_server.site.sections.mailed_code import keep_secret
from hub_server.watches import actions
from hub_server.web.dependencies import ReadTransaction, ServicesDep, WriteTransaction
from schemas.watches import MailPace

router = APIRouter(include_in_schema=False)
_PACES = {
    MailPace.HOUR.value: "at most once an hour",
    MailPace.DAY.value: "at most once a day",
    MailPace.NEVER.value: "never",
}


@router.get("/account/watches")
def watches_page(request: Request, work: ReadTransaction) -> Response:
    """All that the caller watches."""
    if work.caller is None or not work.caller.by_session:
        return RedirectResponse("/login?next=/account/watches", status_code=303)
    watching = actions.list_watches(work)
    return render(
        request,
        work,
        "watches.html",
        title="What you watch",
        section="Account",
        watching=watching,
        paces=_PACES,
        has_mail=bool(work.services.settings.mail.host),
    )


@router.post("/account/watches")
def change_pace(work: WriteTransaction, pace: Annotated[str, Form()] = "") -> Response:
    """Mail more or less often."""
    if pace not in _PACES:
        raise InvalidRequestError("Say hour, day or never.")
    actions.set_pace(work, MailPace(pace))
    return RedirectResponse("/account/watches", status_code=303)


@router.post("/packages/{owner}/{name}/watch")
def watch_package(work: WriteTransaction, at: PackageAt, act: Annotated[str, Form()] = "") -> Response:
    """Watch a package, or end that, and go back to its page."""
    _do(work, at.package.partition("/")[0], at.package, act)
    return RedirectResponse(f"/packages/{at.package}", status_code=303)


@router.post("/owners/{owner}/watch")
def watch_owner(work: WriteTransaction, owner: str, act: Annotated[str, Form()] = "") -> Response:
    """Watch all that an owner has, or end that, and go back to the owner's page."""
    _do(work, owner, None, act)
    return RedirectResponse(f"/owners/{quote(owner)}", status_code=303)


def _do(work: UnitOfWork, owner: str, package: str | None, act: str) -> None:
    if act not in ("begin", "end"):
        raise InvalidRequestError("Say begin or end.")
    (actions.watch if act == "begin" else actions.unwatch)(work, owner, package)


@router.get("/unsubscribe/{code}")
def unsubscribe_page(request: Request, work: ReadTransaction, code: str) -> HTMLResponse:
    """Asks for a click. Opening a link ends nothing: programs that read mail open links too."""
    actions.check_unsubscribe_link(work, code)
    return _show(request, work, code, is_done=False)


@router.post("/unsubscribe/{code}")
def unsubscribe(request: Request, services: ServicesDep, code: str) -> HTMLResponse:
    """End the mails, for a person or for a mail program (RFC 8058), without a login."""
    with services.database.writing() as session:
        actions.unsubscribe(UnitOfWork(session, services), code)
    with services.database.reading() as session:
        return _show(request, UnitOfWork(session, services), code, is_done=True)


def _show(request: Request, work: UnitOfWork, code: str, *, is_done: bool) -> HTMLResponse:
    title = "No more mails" if is_done else "End these mails"
    answer = render(request, work, "unsubscribe.html", title=title, section="Account", code=code, is_done=is_done)
    return keep_secret(answer)
