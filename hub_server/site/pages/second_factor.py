"""The second factor: switched on with an app, and off with a code."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.errors import HubServerError
from hub_server.kernel.caller import require_proof
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction, TransactionsDep, WriteTransaction
from schemas.account import RecoveryCodes, SecondFactorStart

router = APIRouter(include_in_schema=False)
_LONGEST = 64


@router.get("/account/second-factor")
def second_factor_page(request: Request, work: ReadTransaction) -> Response:
    """Whether it is on, and what to do."""
    if work.caller is None or not work.caller.is_proven:
        return RedirectResponse("/account/proof?next=/account/second-factor", status_code=303)
    return _show(request, work)


@router.post("/account/second-factor/start")
def start(request: Request, work: WriteTransaction) -> HTMLResponse:
    """Show a fresh secret for the app."""
    return _show(request, work, fresh=actions.start_second_factor(work))


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
            return _show(request, work, problem=f"{error.detail} Start again.", status=error.status)
    with transactions.reading() as work:
        return _show(request, work, codes=codes)


@router.post("/account/second-factor/disable")
def disable(
    request: Request, transactions: TransactionsDep, code: Annotated[str, Form(max_length=_LONGEST)] = ""
) -> Response:
    """Switch it off."""
    with transactions.reading() as work:
        name = require_proof(work.caller).name
    try:
        actions.prove_code(transactions.services, name, code)
    except HubServerError as error:
        with transactions.reading() as work:
            return _show(request, work, problem=error.detail, status=error.status)
    with transactions.writing() as work:
        actions.disable_second_factor(work)
    return RedirectResponse("/account/second-factor", status_code=303)


def _show(
    request: Request,
    work: UnitOfWork,
    *,
    fresh: SecondFactorStart | None = None,
    codes: RecoveryCodes | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    answer = render(
        request,
        work,
        "second_factor.html",
        status=status,
        title="Second factor",
        section="Account",
        state=actions.get_second_factor(work),
        fresh=fresh,
        codes=codes,
        problem=problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer
