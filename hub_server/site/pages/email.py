"""One's own e-mail address: changed, and confirmed by a link."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import ValidationError

from hub_server.accounts import actions
from hub_server.accounts.errors import TokenNotFoundError
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.mailed_code import LONGEST_CODE, keep_secret
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.web.dependencies import ReadTransaction, ServicesDep, WriteTransaction
from schemas.account import EmailChange

router = APIRouter(include_in_schema=False)


@router.post("/account/email")
def change(transactions: ProvenTransactionsDep, email: Annotated[str, Form(max_length=254)] = "") -> Response:
    """Another address; a link goes to it."""
    try:
        wanted = EmailChange(email=email.strip())
    except ValidationError:
        raise InvalidRequestError("This is not an e-mail address.") from None
    with transactions.writing() as work:
        actions.change_email(work, wanted.email)
    return RedirectResponse("/account", status_code=303)


@router.post("/account/email/link")
def send_link(work: WriteTransaction) -> Response:
    """Mail the link again."""
    actions.ask_for_confirmation(work)
    return RedirectResponse("/account", status_code=303)


@router.get("/account/email/confirmation")
def confirmation_page(request: Request, work: ReadTransaction, code: str = "") -> HTMLResponse:
    """Asks for a click. Opening a link confirms nothing: programs that read mail open links too."""
    return _show(request, work, code=code[:LONGEST_CODE])


@router.post("/account/email/confirmation")
def confirm(
    request: Request, services: ServicesDep, code: Annotated[str, Form(max_length=LONGEST_CODE)] = ""
) -> HTMLResponse:
    """Confirm the address that the code was mailed to."""
    name, problem, status = "", "", 200
    try:
        with services.database.writing() as session:
            name = actions.confirm_email(UnitOfWork(session, services), code)
    except TokenNotFoundError as error:
        problem, status = error.detail, error.status
    with services.database.reading() as session:
        return _show(request, UnitOfWork(session, services), code=code, name=name, problem=problem, status=status)


def _show(
    request: Request, work: UnitOfWork, *, code: str, name: str = "", problem: str = "", status: int = 200
) -> HTMLResponse:
    answer = render(
        request,
        work,
        "email.html",
        status=status,
        title="Confirm your address",
        section="Account",
        code=code,
        name=name,
        problem=problem,
    )
    return keep_secret(answer)
