"""The second factor: a code of an authenticator app (TOTP, RFC 6238), a security key, or a recovery code."""

from hub_server.accounts.actions.account_rows import get_person
from hub_server.accounts.actions.notices import tell_account
from hub_server.accounts.actions.recovery_codes import forget_unneeded, make_codes, use_code
from hub_server.accounts.actions.security_keys import KeyAnswer, list_security_keys, prove_key
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.models import TICKET, AccountRow, SecondFactorRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.accounts.queries import security_keys as key_queries
from hub_server.accounts.rules.second_factors import (
    CODE_PAUSE,
    CODE_TRIES,
    clean_code,
    make_totp_secret,
    step_of_code,
    totp_uri,
)
from hub_server.accounts.rules.secrets import secret_hash
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, TooManyRequestsError
from hub_server.kernel.caller import ProvenFactor, require_password, require_person
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import RecoveryCodes, SecondFactorStart, SecondFactorState


def prove_factor(services: Services, name: str, code: str, key: KeyAnswer | None = None) -> ProvenFactor | None:
    """Check the second factor of an account; None where it has none. Call it after the password was right.

    ``key`` counts where it is given, else ``code``. It has transactions of its own, so that a wrong try counts although
    the request is refused. Raises ``SecondFactorNeededError`` without either, ``NotAuthenticatedError`` for a wrong
    one, and ``TooManyRequestsError`` after five wrong codes of an account with an app, unless it is a recovery code.
    """
    with services.database.reading() as session:
        account = account_queries.find_account(session, name)
        has_app, has_key = (
            factor_queries.second_factors_of(session, account.id) if account is not None else (False, False)
        )
    if account is None or not (has_app or has_key):
        return None
    if key is not None:
        prove_key(services, account.id, key)
    elif code.strip():
        _prove_code(services, account.id, code)
    else:
        raise SecondFactorNeededError(_what_is_needed(has_app=has_app, has_key=has_key))
    return ProvenFactor(account.id)


def _what_is_needed(*, has_app: bool, has_key: bool) -> str:
    if not has_key:
        return "This account has a second factor: send its code too."
    return "This account has a security key: answer with it in a browser (`verihub login --browser`), or send a " + (
        "code of the app or a recovery code." if has_app else "recovery code."
    )


def _prove_code(services: Services, account_id: str, code: str) -> None:
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        row = factor_queries.find_app(session, account_id)
        wait = _seconds_to_wait(work, row)
        # Codes of the app are not looked at in a pause. A recovery code is too long to be guessed, and ends it: whoever
        # types wrong codes on purpose must not lock out the account's own person.
        is_right = _use_code(work, account_id, None if wait else row, code)
        if row is not None and is_right:
            row.failures, row.locked_until = 0, None
    if is_right:
        return
    if wait:
        raise TooManyRequestsError(_PAUSED, retry_after_seconds=wait)
    raise NotAuthenticatedError("The code is wrong, or was used already.")


_PAUSED = (
    "Too many wrong codes: wait a quarter of an hour, or use a recovery code or a security key. If it was not you who "
    "typed them, somebody knows your password: have a new one mailed (/account/recovery), which ends the wait."
)


def _seconds_to_wait(work: UnitOfWork, row: SecondFactorRow | None) -> float:
    if row is None or row.locked_until is None or row.locked_until <= work.now:
        return 0.0
    return (row.locked_until - work.now).total_seconds()


def _use_code(work: UnitOfWork, account_id: str, app: SecondFactorRow | None, code: str) -> bool:
    """Use a code up; a wrong one counts where there is an app: its six digits could be guessed, a recovery code not."""
    if app is not None:
        step = step_of_code(app.secret, clean_code(code), work.now, after=app.last_step)
        if step is not None:
            app.last_step = step
            return True
    if use_code(work, account_id, code):
        tell_account(work, account_id, "recovery_code_used")
        return True
    if app is not None:
        app.failures += 1
        if app.failures >= CODE_TRIES:
            app.failures, app.locked_until = 0, work.now + CODE_PAUSE
            tell_account(work, account_id, "codes_guessed")
    return False


def get_second_factor(work: UnitOfWork) -> SecondFactorState:
    """Which second factors the caller has. A token does not see it."""
    return _state_of(work, require_person(work.caller).account_id)


def factors_of_ticket(work: UnitOfWork, ticket: str) -> SecondFactorState:
    """Which second factors the account has whose password was right; none for a ticket that does not hold."""
    found = credential_queries.find_live_web_session(work.session, secret_hash(ticket), work.now)
    if found is None or found[0].kind != TICKET:
        return SecondFactorState()
    return _state_of(work, found[1].id)


def _state_of(work: UnitOfWork, account_id: str) -> SecondFactorState:
    row = work.session.get(SecondFactorRow, account_id)
    return SecondFactorState(
        enabled_at=row.enabled_at if row is not None else None,
        security_keys=list_security_keys(work, account_id),
        recovery_codes_left=factor_queries.count_recovery_codes(work.session, account_id),
    )


def start_second_factor(work: UnitOfWork) -> SecondFactorStart:
    """A fresh secret for the caller's app. It counts for nothing before :func:`enable_second_factor`."""
    caller = require_proof(work)
    row = work.session.get(SecondFactorRow, caller.account_id)
    if row is not None and row.enabled_at is not None:
        raise InvalidRequestError("The second factor is on: switch it off first.")
    secret = make_totp_secret()
    if row is None:
        row = SecondFactorRow(account_id=caller.account_id, secret=secret, created_at=work.now)
        work.session.add(row)
    row.secret = secret
    return SecondFactorStart(secret=secret, uri=totp_uri(secret, caller.name))


def pending_second_factor(work: UnitOfWork) -> SecondFactorStart | None:
    """The secret that the caller's app is being set up with: a mistyped code must not cost it. None without one."""
    caller = require_password(work.caller)
    row = work.session.get(SecondFactorRow, caller.account_id)
    if row is None or row.enabled_at is not None:
        return None
    return SecondFactorStart(secret=row.secret, uri=totp_uri(row.secret, caller.name))


def enable_second_factor(work: UnitOfWork, code: str) -> RecoveryCodes:
    """Switch the app on, by a code that shows that it has the secret. Returns fresh recovery codes, this once."""
    caller = require_password(work.caller)
    account_queries.lock_account(work.session, caller.account_id)
    row = work.session.get(SecondFactorRow, caller.account_id, with_for_update=True)
    if row is None or row.enabled_at is not None:
        raise InvalidRequestError("No second factor is being set up: start with a new secret.")
    step = step_of_code(row.secret, clean_code(code), work.now, after=row.last_step)
    if step is None:
        raise InvalidRequestError("The code is wrong: check that the clock of the app's device is right.")
    row.last_step, row.enabled_at = step, work.now
    credential_queries.forget_challenges(work.session, caller.account_id)
    credential_queries.end_proofs_of(work.session, caller.account_id, caller.credential)
    tell_account(work, caller.account_id, "app_added")
    return make_codes(work, caller.account_id)


def disable_second_factor(work: UnitOfWork) -> None:
    """Switch the caller's app off."""
    account_id = require_proof(work).account_id
    account_queries.lock_account(work.session, account_id)
    factor_queries.remove_app(work.session, account_id)
    forget_unneeded(work, account_id)
    tell_account(work, account_id, "app_removed")


def reset_second_factor(work: UnitOfWork, name: str) -> AccountRow:
    """For the operator: remove an account's app, keys and recovery codes. Raises ``AccountNotFoundError``."""
    row = get_person(work, name)
    factor_queries.remove_app(work.session, row.id)
    key_queries.remove_security_keys(work.session, row.id)
    factor_queries.remove_recovery_codes(work.session, row.id)
    credential_queries.remove_web_sessions_of(work.session, row.id)
    return row
