"""Security keys: added and removed, and the questions that a browser puts to one. A key is asked by a script alone."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.errors import HubServerError, PasswordNeededError
from hub_server.site.sections.forms import send_form
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.site.sections.second_factor import password_first, show_refused, show_second_factor
from hub_server.web.cookies import session_secret
from hub_server.web.dependencies import TransactionsDep

router = APIRouter(include_in_schema=False)
_NO_STORE = {"Cache-Control": "no-store"}


@router.post("/account/security-keys/question")
def ask_for_a_new_key(request: Request, transactions: ProvenTransactionsDep) -> JSONResponse:
    """What the script hands to the browser to add a key; one that is there already has answered first."""
    with transactions.writing(is_act=False) as work:
        return _question(actions.start_security_key(work, session_secret(request) or ""))


@router.post("/login/key-question")
def ask_for_a_key(
    request: Request, transactions: TransactionsDep, ticket: Annotated[str, Form(max_length=100)] = ""
) -> JSONResponse:
    """What the script hands to the browser to use a key: for a ticket after the password, or for this session."""
    with transactions.writing(is_act=False) as work:
        return _question(actions.ask_key(work, ticket or session_secret(request) or ""))


@router.post("/account/security-keys")
def add(
    request: Request,
    transactions: TransactionsDep,
    name: Annotated[str, Form(max_length=200)] = "",
    key: Annotated[str, Form(max_length=LONGEST_ANSWER)] = "",
) -> Response:
    """Add the key that has answered; the first second factor shows recovery codes, this once."""
    try:
        with transactions.writing() as work:
            codes = actions.add_security_key(work, name, actions.KeyAnswer(key, session_secret(request) or ""))
    except PasswordNeededError:  # what the key answered is for the session as it was
        return password_first()
    except HubServerError as error:
        with transactions.reading() as work:
            return show_second_factor(request, work, problem=error.detail, status=error.status)
    with transactions.reading() as work:
        return show_second_factor(request, work, codes=codes)


@router.post("/account/security-keys/{key_id}/remove")
def remove(request: Request, transactions: ProvenTransactionsDep, key_id: str) -> Response:
    """Remove a key."""

    def act() -> Response:
        with transactions.writing() as work:
            actions.remove_security_key(work, key_id)
        return RedirectResponse("/account/second-factor", status_code=303)

    return send_form(act, lambda refusal: show_refused(request, transactions, refusal))


def _question(options: dict[str, Any]) -> JSONResponse:
    return JSONResponse(options, headers=_NO_STORE)
