"""Pages that need the password, typed in the last minutes, and acts that need the second factor as well."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse

from hub_server.accounts import actions
from hub_server.accounts.rules.security_keys import LONGEST_ANSWER
from hub_server.kernel.caller import require_proof
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.sections.web_sessions import key_answer
from hub_server.web.dependencies import TransactionsDep

Code = Annotated[str, Form(max_length=64)]
"""A code of the app, or a recovery code."""
KeyJson = Annotated[str, Form(max_length=LONGEST_ANSWER)]
"""What a security key answered."""


def proof_first(work: UnitOfWork, here: str) -> Response | None:
    """The way to the page that asks for the password and leads back to ``here``; None where it was just typed."""
    if work.caller is not None and work.caller.is_proven:
        return None
    return RedirectResponse(f"/account/proof?{urlencode({'next': here})}", status_code=303)


def typed_factor(request: Request, transactions: TransactionsDep, code: str, key: str) -> actions.ProvenFactor | None:
    """The second factor as a form brings it for this one act; None where the account has none."""
    with transactions.reading() as work:
        name = require_proof(work.caller).name
    return actions.prove_factor(transactions.services, name, code, key_answer(request, key))
