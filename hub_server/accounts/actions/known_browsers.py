"""Browsers in which an account's person has signed in: each has tries at the password of its own.

A browser keeps one secret in a cookie. It opens nothing, outlives sessions, and counts for every account whose person
has signed in with it. A new password forgets all browsers but the one in which it was set.
"""

import secrets

from hub_server.accounts.models import KNOWN_BROWSER, AccountRow, WebSessionRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.rules.passwords import KNOWN_BROWSER_LIFETIME
from hub_server.accounts.rules.secrets import secret_hash, session_id
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork


def remember_browser(work: UnitOfWork, name: str, secret: str | None) -> str:
    """Note that the person of account ``name`` has just signed in here. Returns the secret for the browser's cookie.

    ``secret``: what the cookie holds already, or None.
    """
    row = account_queries.find_account(work.session, name)
    assert row is not None
    secret = secret or secrets.token_urlsafe(32)
    found = work.session.get(WebSessionRow, _hash(row, secret))
    if found is None:
        found = WebSessionRow(
            secret_sha256=_hash(row, secret), account_id=row.id, kind=KNOWN_BROWSER, created_at=work.now
        )
        work.session.add(found)
    found.expires_at = work.now + KNOWN_BROWSER_LIFETIME
    return secret


def find_known_browser(services: Services, name: str, secret: str | None) -> str:
    """The id of this browser where the person of account ``name`` has signed in with it, else an empty text."""
    if not secret:
        return ""
    with services.database.reading() as session:
        row = account_queries.find_account(session, name)
        key = "" if row is None else _hash(row, secret)
        found = credential_queries.find_live_web_session(session, key, services.clock.now())
    return session_id(key) if found is not None and found[0].kind == KNOWN_BROWSER else ""


def _hash(row: AccountRow, secret: str) -> str:
    return secret_hash(f"{row.id} {secret}")
