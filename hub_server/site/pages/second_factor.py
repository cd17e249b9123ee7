"""The second factor: an app is switched on with a code, and off with a code or a key."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from hub_server.accounts import actions
from hub_server.errors import HubServerError, PasswordNeededError
from hub_server.site.sections.forms import send_form
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.site.sections.second_factor import password_first, show_refused, show_second_factor
from hub_server.web.dependencies import ReadTransaction, TransactionsDep

router = APIRouter(include_in_schema=False)


@router.get("/account/second-factor")
def second_factor_page(request: Request, work: ReadTransaction) -> Response:
    """Whether it is on, and what to do."""
    if work.caller is None or not work.caller.is_proven:
        return password_first()
    return show_second_factor(request, work)


@router.post("/account/second-factor/start")
def start(request: Request, transactions: ProvenTransactionsDep) -> Response:
    """Show a fresh secret for the app."""

    def act() -> Response:
        with transactions.writing() as work:
            fresh = actions.start_second_factor(work)
        with transactions.reading() as work:
            return show_second_factor(request, work, fresh=fresh)

    return send_form(act, lambda refusal: show_refused(request, transactions, refusal))


@router.post("/account/second-factor/enable")
def enable(request: Request, transactions: TransactionsDep, code: Annotated[str, Form(max_length=64)] = "") -> Response:
    """Switch it on, and show the recovery codes, this once."""
    try:
        with transactions.writing() as work:
            codes = actions.enable_second_factor(work, code)
    except PasswordNeededError:  # the code will be another one when the password is typed
        return password_first()
    except HubServerError as error:
        with transactions.reading() as work:
            fresh = actions.pending_second_factor(work)  # the same secret: the app has it already
            again = "Type the next one." if fresh else "Start again."
            problem = f"{error.detail} {again}"
            return show_second_factor(request, work, fresh=fresh, problem=problem, status=error.status)
    with transactions.reading() as work:
        return show_second_factor(request, work, codes=codes)


@router.post("/account/second-factor/disable")
def disable(request: Request, transactions: ProvenTransactionsDep) -> Response:
    """Switch the app off."""

    def act() -> Response:
        with transactions.writing() as work:
            actions.disable_second_factor(work)
        return RedirectResponse("/account/second-factor", status_code=303)

    return send_form(act, lambda refusal: show_refused(request, transactions, refusal))
