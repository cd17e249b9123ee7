"""Logging in and out."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import FirstFactor, prove_second
from hub_server.accounts.errors import AccountSuspendedError, SecondFactorNeededError
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.errors import NotAuthenticatedError, TooManyRequestsError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.web_sessions import AFTER_LOGIN, known_here, safe_next, sign_in
from hub_server.web.cookies import clear_session, session_secret
from hub_server.web.dependencies import ReadTransaction, ServicesDep, WriteTransaction

router = APIRouter(include_in_schema=False)


class LoginForm(BaseModel):
    """What was typed to log in."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    password: str = Field(default="", repr=False)
    next: str = AFTER_LOGIN


@router.get("/login")
def login_page(request: Request, work: ReadTransaction, next: str = AFTER_LOGIN) -> Response:  # noqa: A002 -- the address's word
    """The form. A reader who is signed in already is sent on to the next page."""
    if work.caller is not None and work.caller.by_session:
        return RedirectResponse(safe_next(next), status_code=303)
    return _show_login(request, work, LoginForm(next=safe_next(next)))


@router.post("/login")
def log_in(request: Request, services: ServicesDep, form: Annotated[LoginForm, Form()]) -> Response:
    """Open a session for this browser."""
    try:
        name = form.name.strip().lower()
        first = actions.prove_first(services, name, form.password, known=known_here(request, services, name))
        try:
            proven = prove_second(services, first, "")
        except SecondFactorNeededError:
            return _ask_for_code(request, services, first, form.next)
        answer = RedirectResponse(safe_next(form.next), status_code=303)
        sign_in(request, services, proven, answer)
    except (NotAuthenticatedError, AccountSuspendedError, TooManyRequestsError) as error:
        with services.database.reading() as session:
            return _show_login(request, UnitOfWork(session, services), form, problem=error.detail, status=error.status)
    return answer


@router.post("/login/code")
def log_in_with_code(
    request: Request,
    services: ServicesDep,
    ticket: Annotated[str, Form(max_length=100)] = "",
    code: Annotated[str, Form(max_length=64)] = "",
    key: Annotated[str, Form(max_length=LONGEST_ANSWER)] = "",
    next: Annotated[str, Form()] = AFTER_LOGIN,  # noqa: A002 -- the field's name
) -> Response:
    """Open a session for who typed the password before, and now has the code or the key."""
    try:
        proven = actions.redeem_ticket(services, ticket, code, key)
        answer = RedirectResponse(safe_next(next), status_code=303)
        sign_in(request, services, proven, answer)
    except (NotAuthenticatedError, AccountSuspendedError, SecondFactorNeededError, TooManyRequestsError) as error:
        return _show_code(request, services, ticket, next, problem=error.detail, status=error.status)
    return answer


def _ask_for_code(request: Request, services: Services, first: FirstFactor, after: str) -> HTMLResponse:
    with services.database.writing() as session:
        ticket = actions.open_ticket(UnitOfWork(session, services), first)
    return _show_code(request, services, ticket, after)


def _show_code(
    request: Request, services: Services, ticket: str, after: str, *, problem: str = "", status: int = 200
) -> HTMLResponse:
    with services.database.reading() as session:
        answer = render(
            request,
            UnitOfWork(session, services),
            "login_code.html",
            status=status,
            title="Your second factor",
            section="Sign in",
            ticket=ticket,
            factors=actions.factors_of_ticket(UnitOfWork(session, services), ticket),
            problem=problem,
            next=safe_next(after),
        )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _show_login(
    request: Request, work: UnitOfWork, form: LoginForm, *, problem: str = "", status: int = 200
) -> HTMLResponse:
    return render(
        request,
        work,
        "login.html",
        status=status,
        title="Sign in",
        section="Sign in",
        form=form,
        problem=problem,
        next=safe_next(form.next),
    )


@router.post("/logout")
def log_out(request: Request, work: WriteTransaction) -> Response:
    """Log this browser out."""
    secret = session_secret(request)
    if secret is not None:
        actions.close_web_session(work, secret)
    answer = RedirectResponse("/", status_code=303)
    clear_session(answer, request)
    return answer
