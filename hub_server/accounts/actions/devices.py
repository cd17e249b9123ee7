"""Login for a device without a browser of its own (RFC 8628), and a proof of minutes for one of its commands."""

import secrets
from typing import NamedTuple

from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.actions.suspensions import refuse_suspended
from hub_server.accounts.actions.tokens import issue_token
from hub_server.accounts.actions.web_sessions import make_proof
from hub_server.accounts.errors import (
    DeviceDeniedError,
    DeviceExpiredError,
    DevicePendingError,
    TokenNotFoundError,
)
from hub_server.accounts.models import AccountRow, DeviceLoginRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.rules.secrets import (
    DEVICE_LIFETIME,
    DEVICE_POLL_SECONDS,
    clean_user_code,
    make_user_code,
    secret_hash,
)
from hub_server.database import activity
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import Caller, require_caller, require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import DeviceCode, SudoCreated, TokenCreate, TokenCreated

_TOKEN, _PROOF = "token", "proof"


def start_device_login(work: UnitOfWork, client_name: str, device_page: str, *, is_proof: bool = False) -> DeviceCode:
    """Make a code for the device to poll with, and one for a person to type at ``device_page``.

    ``is_proof``: the device asks to act as the person for minutes. It must hold a token of the account, and that
    account alone can approve: nobody sends a stranger a link that gives their account away.
    """
    device_code, user_code = secrets.token_urlsafe(32), make_user_code()
    now = work.now
    work.session.add(
        DeviceLoginRow(
            id=new_id(now),
            device_code_sha256=secret_hash(device_code),
            user_code=user_code,
            client_name=client_name,
            purpose=_PROOF if is_proof else _TOKEN,
            account_id=require_caller(work.caller).account_id if is_proof else None,
            created_at=now,
            expires_at=now + DEVICE_LIFETIME,
        )
    )
    return DeviceCode(
        device_code=device_code,
        user_code=user_code,
        verification_uri=device_page,
        verification_uri_complete=f"{device_page}?code={user_code}",
        expires_in=int(DEVICE_LIFETIME.total_seconds()),
        interval=DEVICE_POLL_SECONDS,
    )


class WaitingDevice(NamedTuple):
    """What a device that waits for approval says of itself, and whether it asks to act as the person."""

    name: str = ""
    asks_for_proof: bool = False


def waiting_device(work: UnitOfWork, user_code: str) -> WaitingDevice:
    """The device that waits under this code; nameless where none does."""
    login = credential_queries.waiting_login(work.session, clean_user_code(user_code), work.now)
    return WaitingDevice() if login is None else WaitingDevice(login.client_name, login.purpose == _PROOF)


def approve_device(work: UnitOfWork, user_code: str, *, knows_proof: bool = False) -> str:
    """Approve the device with that code for the caller. Returns the name that the device gave itself.

    ``knows_proof``: the person has read that it will act as them; without that such a device is not let in.
    """
    caller = require_proof(work)
    login = _waiting(work, user_code, caller)
    if login.purpose == _PROOF and not knows_proof:
        raise InvalidRequestError("This device asks for more than to be signed in: read what, and confirm that.")
    login.state, login.account_id = "approved", caller.account_id
    return login.client_name


def deny_device(work: UnitOfWork, user_code: str) -> str:
    """Deny the device with that code. Returns the name that the device gave itself."""
    caller = require_person(work.caller)
    login = _waiting(work, user_code, caller)
    login.state, login.account_id = "denied", caller.account_id
    return login.client_name


def _waiting(work: UnitOfWork, user_code: str, caller: Caller) -> DeviceLoginRow:
    login = credential_queries.find_waiting_device(work.session, clean_user_code(user_code), work.now)
    if login is None or login.account_id not in (None, caller.account_id):
        raise TokenNotFoundError("No device waits under this code: check it, or start the command again.")
    return login


def collect_device_token(work: UnitOfWork, device_code: str) -> TokenCreated:
    """The token, once a person has approved; until then ``DevicePendingError``. A code gives one token."""
    login, account = _approved(work, device_code, _TOKEN)
    login.state = "used"
    activity.note(work.session, work.now, account.id, "Log in at a command line, by a browser")
    return issue_token(work, account.id, TokenCreate(name=login.client_name))


def collect_device_proof(work: UnitOfWork, device_code: str) -> SudoCreated:
    """The secret that stands for a password for some minutes. A code is exchanged for one secret, once.

    Raises ``DevicePendingError`` until the person has allowed it in a browser.
    """
    login, account = _approved(work, device_code, _PROOF)
    login.state = "used"
    activity.note(work.session, work.now, account.id, "Let a command act as me for minutes, by a browser")
    return make_proof(work, account)


def _approved(work: UnitOfWork, device_code: str, purpose: str) -> tuple[DeviceLoginRow, AccountRow]:
    account_id = credential_queries.account_of_device(work.session, secret_hash(device_code))
    if account_id is not None:  # before the login, as whoever deletes the account does
        account_queries.lock_account(work.session, account_id)
    login = credential_queries.find_device_login(work.session, secret_hash(device_code))
    now = work.now
    if login is None or login.expires_at < now or login.state == "used" or login.purpose != purpose:
        raise DeviceExpiredError("This device code is not known or has expired: start the command again.")
    if login.state == "denied":
        raise DeviceDeniedError("The login was denied in the browser.")
    if login.state == "waiting" or login.account_id is None:
        raise DevicePendingError("Nobody has approved this device yet.")
    account = work.session.get(AccountRow, login.account_id)
    assert account is not None
    refuse_suspended(account)
    return login, account
