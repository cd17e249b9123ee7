"""Asks for the password again, as proof of who is at the browser, and changes it."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, TooManyRequestsError
from hub_server.kernel.caller import require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.proof import LONGEST_CODE, LONGEST_PASSWORD
from hub_server.site.sections.web_sessions import AFTER_LOGIN, keep_known, key_answer, safe_next
from hub_server.web.cookies import clear_session, session_secret, set_session
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from schemas.account import SHORTEST_PASSWORD

router = APIRouter(include_in_schema=False)


@router.get("/account/proof")
def proof_page(request: Request, work: ReadTransaction, next: str = AFTER_LOGIN) -> Response:  # noqa: A002 -- the address's word
    """Asks for the password, and sends the reader on."""
    if work.caller is None:
        return RedirectResponse(f"/login?{urlencode({'next': safe_next(next)})}", status_code=303)
    return _show(request, work, next)


@router.post("/account/proof")
def prove(
    request: Request,
    transactions: TransactionsDep,
    password: Annotated[str, Form(max_length=LONGEST_PASSWORD)] = "",
    code: Annotated[str, Form(max_length=LONGEST_CODE)] = "",
    key: Annotated[str, Form(max_length=LONGEST_ANSWER)] = "",
    next: Annotated[str, Form()] = AFTER_LOGIN,  # noqa: A002 -- the field's name
) -> Response:
    """Prove the password again: for some minutes this browser may do what a stolen cookie may not."""
    with transactions.reading() as work:
        name = require_person(work.caller).name
        known = actions.known_of(work.caller, name)
    try:
        shown = key_answer(request, key)
        proven = actions.prove_password(transactions.services, name, password, code, shown, known=known)
    except (NotAuthenticatedError, SecondFactorNeededError, TooManyRequestsError) as error:
        with transactions.reading() as work:
            return _show(request, work, next, problem=error.detail, status=error.status)
    with transactions.writing() as work:
        fresh = actions.prove_again(work, proven, session_secret(request) or "")
    answer = RedirectResponse(safe_next(next), status_code=303)
    set_session(answer, fresh, request)
    return answer


@router.post("/account/password")
def change_password(
    request: Request,
    transactions: TransactionsDep,
    old: Annotated[str, Form(max_length=LONGEST_PASSWORD)] = "",
    new: Annotated[str, Form(max_length=LONGEST_PASSWORD)] = "",
    code: Annotated[str, Form(max_length=LONGEST_CODE)] = "",
    key: Annotated[str, Form(max_length=LONGEST_ANSWER)] = "",
) -> Response:
    """Set a new password: every browser is logged out, every token is revoked."""
    if len(new) < SHORTEST_PASSWORD:
        raise InvalidRequestError(f"A password has {SHORTEST_PASSWORD} characters or more.")
    with transactions.reading() as work:
        name = require_person(work.caller).name
        known = actions.known_of(work.caller, name)
    proven = actions.prove_password(transactions.services, name, old, code, key_answer(request, key), known=known)
    new_hash = actions.hash_password(new)
    with transactions.writing() as work:
        actions.change_password(work, proven, new_hash)
    answer = RedirectResponse("/login", status_code=303)
    clear_session(answer, request)
    keep_known(request, transactions.services, name, answer)
    return answer


def _show(request: Request, work: UnitOfWork, after: str, *, problem: str = "", status: int = 200) -> HTMLResponse:
    return render(
        request,
        work,
        "proof.html",
        status=status,
        title="Your password again",
        section="Account",
        next=safe_next(after),
        problem=problem,
        factors=actions.get_second_factor(work),
    )
