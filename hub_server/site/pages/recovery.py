"""A forgotten password: ask for a link, and set a new one by it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse

from hub_server.accounts import actions
from hub_server.accounts.errors import AccountSuspendedError, TokenNotFoundError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.mailed_code import LONGEST_CODE, keep_secret
from hub_server.site.sections.web_sessions import keep_known
from hub_server.web.dependencies import ReadTransaction, ServicesDep
from schemas.account import SHORTEST_PASSWORD

router = APIRouter(include_in_schema=False)
_LONGEST_ADDRESS, _LONGEST_PASSWORD = 254, 1024


@router.get("/account/recovery")
def recovery_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """Asks for the account's name or address."""
    return _show(request, work, step="ask")


@router.post("/account/recovery")
def ask(
    request: Request,
    services: ServicesDep,
    account: Annotated[str, Form(max_length=_LONGEST_ADDRESS)] = "",
) -> HTMLResponse:
    """Have a link mailed. The answer is the same whether there is such an account or not."""
    with services.database.writing() as session:
        actions.ask_for_reset(UnitOfWork(session, services), account)
    with services.database.reading() as session:
        return _show(request, UnitOfWork(session, services), step="asked")


@router.get("/account/recovery/password")
def new_password_page(request: Request, work: ReadTransaction, code: str = "") -> HTMLResponse:
    """Asks for the new password. Opening a link uses nothing up: programs that read mail open links too."""
    return _show(request, work, step="set", code=code[:LONGEST_CODE])


@router.post("/account/recovery/password")
def set_password(
    request: Request,
    services: ServicesDep,
    code: Annotated[str, Form(max_length=LONGEST_CODE)] = "",
    new: Annotated[str, Form(max_length=_LONGEST_PASSWORD)] = "",
) -> HTMLResponse:
    """Set the password; everything that the old one opened ends."""
    step, problem, status, name = "set", "", 200, ""
    try:
        if len(new) < SHORTEST_PASSWORD:
            problem, status = f"A password has {SHORTEST_PASSWORD} characters or more.", 422
        else:
            with services.database.reading() as session:
                actions.check_reset(UnitOfWork(session, services), code)
            new_hash = actions.hash_password(new)
            with services.database.writing() as session:
                name = actions.reset_password(UnitOfWork(session, services), code, new_hash)
            step, code = "done", ""
    except (TokenNotFoundError, AccountSuspendedError) as error:
        problem, status = error.detail, error.status
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        answer = _show(request, work, step=step, code=code, problem=problem, status=status)
    if name:
        keep_known(request, services, name, answer)
    return answer


def _show(
    request: Request, work: UnitOfWork, *, step: str, code: str = "", problem: str = "", status: int = 200
) -> HTMLResponse:
    answer = render(
        request,
        work,
        "recovery.html",
        status=status,
        title="A new password",
        section="Sign in",
        step=step,
        code=code,
        problem=problem,
        has_mail=bool(work.services.settings.mail.host),
    )
    return keep_secret(answer)
