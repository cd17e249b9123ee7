"""Security keys (WebAuthn) as a second factor: added, removed, and asked to prove who is there.

A key signs for one site only. So on a page that imitates this hub, there is no code that a person could give away.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from webauthn.helpers import bytes_to_base64url

from hub_server.accounts.actions.notices import tell_account
from hub_server.accounts.actions.recovery_codes import forget_unneeded, make_codes
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import SecurityKeyError, TokenNotFoundError
from hub_server.accounts.models import SecurityKeyRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.accounts.queries import security_keys as key_queries
from hub_server.accounts.rules.secrets import secret_hash
from hub_server.accounts.rules.security_keys import (
    CHALLENGE_LIFETIME,
    LONGEST_ANSWER,
    MOST_KEYS,
    KeyState,
    RelyingParty,
    ask_to_prove,
    ask_to_register,
    key_named_in,
    read_proof,
    read_registration,
    relying_party,
)
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError, NotAuthenticatedError
from hub_server.kernel.caller import Caller, require_password
from hub_server.kernel.services import Services
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import RecoveryCodes, SecurityKey

_LONGEST_NAME = 60  # chosen, not measured
_NEW_KEY, _KNOWN_KEY = "new:", "known:"
"""What a question was for, before the challenge that is kept."""


@dataclass(frozen=True)
class KeyAnswer:
    """What a key answered, as the browser's JSON, and the secret of the session that it was asked for."""

    json: str
    session_secret: str


def keys_work_here(services: Services) -> bool:
    """Whether this hub's public address is one that keys can be bound to: a host name, reached by https."""
    return relying_party(services.settings.public_url) is not None


def start_security_key(work: UnitOfWork, session_secret: str) -> dict[str, Any]:
    """What the caller's browser is given to make a key answer for the first time."""
    caller = require_proof(work)
    party = _party(work.services)
    known = [row.credential_id for row in key_queries.security_keys_of(work.session, caller.account_id)]
    challenge = _keep_challenge(work, session_secret, _NEW_KEY)
    return ask_to_register(party, caller.name, caller.account_id, known, challenge)


def add_security_key(work: UnitOfWork, name: str, answer: KeyAnswer) -> RecoveryCodes | None:
    """Add a key by its first answer. With the first factor come recovery codes, shown this once.

    Only what :func:`start_security_key` asked counts, so whoever has a second factor has shown it there. The password
    must be typed again elsewhere before anything is changed there: who sits there may know nothing of the key.
    Raises ``SecurityKeyError``.
    """
    caller = require_password(work.caller)
    account_queries.lock_account(work.session, caller.account_id)
    key = _first_answer(work, answer)
    clean = _clean_name(name)
    if len(key_queries.security_keys_of(work.session, caller.account_id)) >= MOST_KEYS:
        raise SecurityKeyError(f"An account has {MOST_KEYS} keys at most: remove one first.")
    is_first = not factor_queries.has_second_factor(work.session, caller.account_id)
    _insert(work, caller, clean, key)
    factor_queries.remove_unfinished_app(work.session, caller.account_id)
    credential_queries.forget_challenges(work.session, caller.account_id)
    credential_queries.end_proofs_of(work.session, caller.account_id, caller.credential)
    tell_account(work, caller.account_id, "key_added", other=clean)
    return make_codes(work, caller.account_id) if is_first else None


def _first_answer(work: UnitOfWork, answer: KeyAnswer) -> KeyState:
    challenge = _take_challenge(work, answer.session_secret, _NEW_KEY)
    key = None
    if challenge is not None and len(answer.json) <= LONGEST_ANSWER:
        key = read_registration(_party(work.services), answer.json, challenge)
    if key is None:
        raise SecurityKeyError("The key's answer was not valid, or came too late: try again.")
    return key


def _clean_name(name: str) -> str:
    check_text(name, "The key's name")
    clean = " ".join(name.split())
    if not clean or len(clean) > _LONGEST_NAME or not clean.isprintable():
        raise InvalidRequestError(f"Give the key a name of at most {_LONGEST_NAME} characters, such as 'blue key'.")
    return clean


def _insert(work: UnitOfWork, caller: Caller, name: str, key: KeyState) -> None:
    taken = SecurityKeyError("This key is registered already.")
    if key_queries.is_key_known(work.session, key.credential_id):
        raise taken
    row = SecurityKeyRow(
        id=new_id(work.now),
        account_id=caller.account_id,
        name=name,
        credential_id=key.credential_id,
        public_key=key.public_key,
        sign_count=key.sign_count,
        created_at=work.now,
    )
    work.session.add(row)
    try:
        work.session.flush()
    except IntegrityError as error:
        raise taken from error


def remove_security_key(work: UnitOfWork, key_id: str) -> None:
    """Remove one of the caller's keys; with the last second factor the recovery codes go too."""
    caller = require_proof(work)
    account_queries.lock_account(work.session, caller.account_id)
    names = {row.id: row.name for row in key_queries.security_keys_of(work.session, caller.account_id)}
    if not key_queries.remove_security_key(work.session, caller.account_id, key_id):
        raise TokenNotFoundError("You have no security key with this id.")
    forget_unneeded(work, caller.account_id)
    tell_account(work, caller.account_id, "key_removed", other=names[key_id])


def list_security_keys(work: UnitOfWork, account_id: str) -> list[SecurityKey]:
    """An account's keys, oldest first."""
    return [
        SecurityKey(id=row.id, name=row.name, created_at=row.created_at, last_used_at=row.last_used_at)
        for row in key_queries.security_keys_of(work.session, account_id)
    ]


def ask_key(work: UnitOfWork, session_secret: str) -> dict[str, Any]:
    """What a browser is given to make a key answer: for a session, or a ticket after the right password.

    Raises ``NotAuthenticatedError`` for a secret that is neither, and ``SecurityKeyError`` where there is no key.
    """
    found = credential_queries.find_live_web_session(work.session, secret_hash(session_secret), work.now)
    if found is None:
        raise NotAuthenticatedError("Signing in took too long: start again.")
    known = [row.credential_id for row in key_queries.security_keys_of(work.session, found[1].id)]
    if not known:
        raise SecurityKeyError("This account has no security key.")
    party = _party(work.services)
    return ask_to_prove(party, known, _keep_challenge(work, session_secret, _KNOWN_KEY))


def prove_key(services: Services, account_id: str, answer: KeyAnswer) -> None:
    """Check a key's answer. It has a transaction of its own, so that the challenge is used up whatever is answered.

    Raises ``NotAuthenticatedError``.
    """
    with services.database.writing() as session:
        is_right = _is_right(UnitOfWork(session, services), account_id, answer)
    if not is_right:
        raise NotAuthenticatedError("The security key's answer is wrong, or came too late: try again.")


def _is_right(work: UnitOfWork, account_id: str, answer: KeyAnswer) -> bool:
    digest = secret_hash(answer.session_secret)
    found = credential_queries.find_live_web_session(work.session, digest, work.now)
    challenge = _take_challenge(work, answer.session_secret, _KNOWN_KEY)
    party = relying_party(work.services.settings.public_url)
    if found is None or challenge is None or party is None or len(answer.json) > LONGEST_ANSWER:
        return False
    row = key_queries.find_security_key(work.session, account_id, key_named_in(answer.json))
    if row is None or found[1].id != account_id:
        return False
    count = read_proof(party, answer.json, challenge, KeyState(row.credential_id, row.public_key, row.sign_count))
    if count is None:
        return False
    row.sign_count, row.last_used_at = count, work.now
    return True


def _party(services: Services) -> RelyingParty:
    party = relying_party(services.settings.public_url)
    if party is None:
        raise SecurityKeyError(
            "Security keys need a hub whose public address is set, with a host name and https: ask its operator."
        )
    return party


def _keep_challenge(work: UnitOfWork, session_secret: str, asked: str) -> str:
    challenge = bytes_to_base64url(secrets.token_bytes(32))
    credential_queries.keep_challenge(
        work.session, secret_hash(session_secret), asked + challenge, work.now + CHALLENGE_LIFETIME
    )
    return challenge


def _take_challenge(work: UnitOfWork, session_secret: str, asked: str) -> str | None:
    """What a session was asked, once, if it was asked for this. A question to a known key, which costs no second
    factor, is no question to a new one, which does.
    """
    kept = credential_queries.take_challenge(work.session, secret_hash(session_secret), work.now)
    return kept.removeprefix(asked) if kept is not None and kept.startswith(asked) else None
