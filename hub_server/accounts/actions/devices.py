"""Login for a device without a browser of its own (RFC 8628)."""

import secrets

from hub_server.accounts.actions.suspensions import refuse_suspended
from hub_server.accounts.actions.tokens import issue_token
from hub_server.accounts.errors import (
    DeviceDeniedError,
    DeviceExpiredError,
    DevicePendingError,
    TokenNotFoundError,
)
from hub_server.accounts.models import AccountRow, DeviceLoginRow
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
from hub_server.kernel.caller import require_person, require_proof
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import DeviceCode, TokenCreate, TokenCreated


def start_device_login(work: UnitOfWork, client_name: str, device_page: str) -> DeviceCode:
    """Make a code for the device to poll with, and one for a person to type at ``device_page``."""
    device_code, user_code = secrets.token_urlsafe(32), make_user_code()
    now = work.now
    work.session.add(
        DeviceLoginRow(
            id=new_id(now),
            device_code_sha256=secret_hash(device_code),
            user_code=user_code,
            client_name=client_name,
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


def approve_device(work: UnitOfWork, user_code: str) -> str:
    """Approve the device with that code for the caller. Returns the name that the device gave itself."""
    return _decide(work, user_code, "approved")


def deny_device(work: UnitOfWork, user_code: str) -> str:
    """Deny the device with that code. Returns the name that the device gave itself."""
    return _decide(work, user_code, "denied")


def _decide(work: UnitOfWork, user_code: str, state: str) -> str:
    caller = require_proof(work.caller) if state == "approved" else require_person(work.caller)
    login = credential_queries.find_waiting_device(work.session, clean_user_code(user_code), work.now)
    if login is None:
        raise TokenNotFoundError("No device waits under this code: check it, or start `verihub login` again.")
    login.state = state
    login.account_id = caller.account_id
    return login.client_name


def collect_device_token(work: UnitOfWork, device_code: str) -> TokenCreated:
    """The token, once a person has approved; until then ``DevicePendingError``. A code gives one token."""
    login = credential_queries.find_device_login(work.session, secret_hash(device_code))
    now = work.now
    if login is None or login.expires_at < now or login.state == "used":
        raise DeviceExpiredError("This device code is not known or has expired: start `verihub login` again.")
    if login.state == "denied":
        raise DeviceDeniedError("The login was denied in the browser.")
    if login.state == "waiting" or login.account_id is None:
        raise DevicePendingError("Nobody has approved this device yet.")
    account = work.session.get(AccountRow, login.account_id)
    assert account is not None
    refuse_suspended(account)
    login.state = "used"
    activity.note(work.session, now, account.id, "Log in at a command line, by a browser")
    return issue_token(work, login.account_id, TokenCreate(name=login.client_name))
