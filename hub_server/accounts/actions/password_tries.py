"""Counts wrong passwords by account, so that guesses from many addresses have an end.

Whoever knows a name can use up the tries of all who never signed in to the account. So that this locks nobody out, each
browser that did (``known_browsers``), each browser's session and the holders of tokens have tries of their own: OWASP's
device cookies. A name that nobody has is counted in the same way, and tells nothing.
"""

import hashlib

from hub_server.accounts.actions.notices import tell_account
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.rules.passwords import NOTICE_PAUSE, WRONG_PASSWORDS, WRONG_PASSWORDS_AN_HOUR
from hub_server.database import rate_buckets
from hub_server.errors import TooManyRequestsError
from hub_server.kernel.caller import Caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork

_RATE = WRONG_PASSWORDS_AN_HOUR / 3600
_USED_UP = (
    "Too many wrong passwords were typed for this name where nobody had signed in to it before. Sign in with a browser "
    "that you have signed in with (a shell by `verihub login --browser`), or have a link mailed that sets a new "
    "password."
)
_USED_UP_HERE = "Too many wrong passwords were typed here: wait, or have a link mailed that sets a new password."


def known_of(caller: Caller | None, name: str) -> str:
    """By what a request is known to be of the account ``name`` before its password was checked; empty: by nothing."""
    if caller is None or caller.name != name:
        return ""
    return caller.credential or "token"


def take_try(services: Services, name: str, known: str) -> None:
    """Count a try, before the password is looked at: of many at the same time each counts.

    ``known``: as :func:`known_of` or ``known_browsers.find_known_browser`` says. Raises ``TooManyRequestsError``.
    """
    key = _key(name, known)
    with services.database.writing() as session:
        now = services.clock.now().timestamp()
        if rate_buckets.take_tokens(session, key, 1, rate=_RATE, burst=WRONG_PASSWORDS, now=now):
            return
        wait = rate_buckets.seconds_until_token(session, key, rate=_RATE, burst=WRONG_PASSWORDS, now=now)
        _tell(UnitOfWork(session, services), name)
    raise TooManyRequestsError(_USED_UP_HERE if known else _USED_UP, retry_after_seconds=max(wait, 1.0))


def give_try_back(services: Services, name: str, known: str) -> None:
    """The password was right. Earlier wrong ones stay counted: the person's login gives a guesser nothing."""
    with services.database.writing() as session:
        rate_buckets.give_back_tokens(session, _key(name, known), 1, rate=_RATE)


def forget_tries(work: UnitOfWork, name: str) -> None:
    """The account has a new password, or its first: what was guessed before counts no more."""
    rate_buckets.refill(work.session, _key(name, ""))


def _tell(work: UnitOfWork, name: str) -> None:
    row = account_queries.find_account(work.session, name)
    if row is None:
        return
    pause, now = 1 / NOTICE_PAUSE.total_seconds(), work.now.timestamp()
    if rate_buckets.take_tokens(work.session, f"passwords-guessed:{row.id}", 1, rate=pause, burst=1, now=now):
        tell_account(work, row.id, "passwords_guessed")


def _key(name: str, known: str) -> str:
    """The bucket's key. Names are what strangers typed, of any length."""
    typed = f"{name}\0{known}".encode("utf-8", "replace")
    return f"passwords:{hashlib.blake2b(typed, digest_size=16).hexdigest()}"
