"""Pages that need the password, typed in the last minutes, and acts that need the second factor as well.

A route whose act needs the factor names ``ProvenTransactionsDep`` or ``ProvenTransaction``. They read it from the form
as ``code`` or ``key``. A form need not have these fields: where the factor is missing or wrong, or the password was
typed too long ago, a page asks for what is needed and sends the same form again (``pages/confirmation.py``).
"""

from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData

from hub_server.accounts import actions
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.errors import NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import ProvenFactor, require_password, require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.sections.web_sessions import key_answer
from hub_server.web.cookies import renew_session, session_secret
from hub_server.web.dependencies import Transactions, TransactionsDep
from hub_server.web.rate_limits import may_guess

CODE, KEY, PASSWORD = "code", "key", "password"
"""Fields of a form: a code of the app or a recovery code; what a security key answered; the password, which is read
only where the request is counted as an attempt at one.
"""
LONGEST_CODE, LONGEST_PASSWORD = 64, 1024


def proof_first(work: UnitOfWork, here: str) -> Response | None:
    """The way to the page that asks for the password and leads back to ``here``; None where it was just typed."""
    if work.caller is not None and work.caller.is_proven:
        return None
    return RedirectResponse(f"/account/proof?{urlencode({'next': here})}", status_code=303)


async def _sent_form(request: Request) -> FormData:
    """All that the form holds, kept for the page that sends it again."""
    form = await request.form()
    request.state.sent_form = form
    return form


def _proven(
    request: Request, transactions: TransactionsDep, form: Annotated[FormData, Depends(_sent_form)]
) -> Transactions:
    code, key, password = (str(form.get(name, "")) for name in (CODE, KEY, PASSWORD))
    if may_guess(request.scope) and password:
        return _with_password(request, transactions, password, code, key)
    if not (code.strip() or key):
        return transactions
    with transactions.reading() as work:
        name = require_password(work.caller).name  # or who has a cookie alone could try codes
    return transactions.having_shown(_factor(request, transactions, name, code, key))


def _with_password(request: Request, transactions: Transactions, password: str, code: str, key: str) -> Transactions:
    """Of a caller who has typed the password with this form: as at ``/account/proof``, and the factor counts for it."""
    with transactions.reading() as work:
        name = require_person(work.caller).name
        known = actions.known_of(work.caller, name)
    try:
        if len(password) > LONGEST_PASSWORD:
            raise NotAuthenticatedError("Name or password is wrong.")
        _check_lengths(code, key)
        shown = key_answer(request, key)
        proven = actions.prove_password(transactions.services, name, password, code, shown, known=known)
    except NotAuthenticatedError as error:  # the person is known, and may try again
        raise PasswordNeededError(error.detail) from None
    with transactions.writing(is_act=False) as work:
        fresh = actions.prove_again(work, proven, session_secret(request) or "")
    renew_session(request, fresh)
    return transactions.in_session(fresh).having_shown(proven.factor)


def _check_lengths(code: str, key: str) -> None:
    if len(code) > LONGEST_CODE or len(key) > LONGEST_ANSWER:
        raise NotAuthenticatedError("The code is wrong, or was used already.")


def _factor(request: Request, transactions: Transactions, name: str, code: str, key: str) -> ProvenFactor | None:
    try:
        _check_lengths(code, key)
        return actions.prove_factor(transactions.services, name, code, key_answer(request, key))
    except NotAuthenticatedError as error:  # the person is known, and may try again
        raise SecondFactorNeededError(error.detail) from None


ProvenTransactionsDep = Annotated[Transactions, Depends(_proven)]
"""As ``TransactionsDep``, of a caller who has shown the second factor that the form brought."""


def _proven_transaction(transactions: ProvenTransactionsDep) -> Iterator[UnitOfWork]:
    with transactions.writing() as work:
        yield work


ProvenTransaction = Annotated[UnitOfWork, Depends(_proven_transaction, scope="function")]
"""As ``WriteTransaction``, of a caller who has shown the second factor that the form brought."""
