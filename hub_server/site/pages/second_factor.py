"""The second factor: an app is switched on with a code, and off with a code or a key."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.errors import HubServerError
from hub_server.kernel.caller import require_proof
from hub_server.site.sections.second_factor import show_second_factor
from hub_server.site.sections.web_sessions import key_answer
from hub_server.web.dependencies import ReadTransaction, TransactionsDep, WriteTransaction

router = APIRouter(include_in_schema=False)
_LONGEST = 64


@router.get("/account/second-factor")
def second_factor_page(request: Request, work: ReadTransaction) -> Response:
    """Whether it is on, and what to do."""
    if work.caller is None or not work.caller.is_proven:
        return RedirectResponse("/account/proof?next=/account/second-factor", status_code=303)
    return show_second_factor(request, work)


@router.post("/account/second-factor/start")
def start(request: Request, work: WriteTransaction) -> HTMLResponse:
    """Show a fresh secret for the app."""
    return show_second_factor(request, work, fresh=actions.start_second_factor(work))


@router.post("/account/second-factor/enable")
def enable(
    request: Request, transactions: TransactionsDep, code: Annotated[str, Form(max_length=_LONGEST)] = ""
) -> HTMLResponse:
    """Switch it on, and show the recovery codes, this once."""
    try:
        with transactions.writing() as work:
            codes = actions.enable_second_factor(work, code)
    except HubServerError as error:
        with transactions.reading() as work:
            return show_second_factor(request, work, problem=f"{error.detail} Start again.", status=error.status)
    with transactions.reading() as work:
        return show_second_factor(request, work, codes=codes)


@router.post("/account/second-factor/disable")
def disable(
    request: Request,
    transactions: TransactionsDep,
    code: Annotated[str, Form(max_length=_LONGEST)] = "",
    key: Annotated[str, Form(max_length=LONGEST_ANSWER)] = "",
) -> Response:
    """Switch the app off."""
    with transactions.reading() as work:
        name = require_proof(work.caller).name
    try:
        actions.prove_factor(transactions.services, name, code, key_answer(request, key))
    except HubServerError as error:
        with transactions.reading() as work:
            return show_second_factor(request, work, problem=error.detail, status=error.status)
    with transactions.writing() as work:
        actions.disable_second_factor(work)
    return RedirectResponse("/account/second-factor", status_code=303)
