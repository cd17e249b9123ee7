"""The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when it is lost."""

from hub_server.accounts.errors import AccountNotFoundError, SecondFactorNeededError
from hub_server.accounts.models import PERSON, AccountRow, RecoveryCodeRow, SecondFactorRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.accounts.rules.second_factors import (
    CODE_PAUSE,
    CODE_TRIES,
    RECOVERY_CODES,
    clean_code,
    make_recovery_code,
    make_totp_secret,
    step_of_code,
    totp_uri,
)
from hub_server.accounts.rules.secrets import secret_hash
from hub_server.errors import InvalidRequestError, NotAuthenticatedError, TooManyRequestsError
from hub_server.kernel.caller import require_person, require_proof
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import RecoveryCodes, SecondFactorStart, SecondFactorState


def prove_code(services: Services, name: str, code: str) -> None:
    """Check the second factor of an account, where it has one. Call it after the password was right.

    It has a transaction of its own, so that a wrong try counts although the request is refused.
    Raises ``SecondFactorNeededError`` without a code, ``NotAuthenticatedError`` for a wrong one, and
    ``TooManyRequestsError`` after five wrong ones.
    """
    if not _is_on(services, name):
        return
    if not code.strip():
        raise SecondFactorNeededError("This account has a second factor: send its code too.")
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        row = factor_queries.find_second_factor_of(session, name, lock=True)
        wait = _seconds_to_wait(work, row)
        is_right = row is None or (not wait and _use_code(work, row, clean_code(code)))
    if wait:
        raise TooManyRequestsError("Too many wrong codes: wait a quarter of an hour.", retry_after_seconds=wait)
    if not is_right:
        raise NotAuthenticatedError("The code is wrong, or was used already.")


def _is_on(services: Services, name: str) -> bool:
    with services.database.reading() as session:
        row = factor_queries.find_second_factor_of(session, name)
        return row is not None and row.enabled_at is not None


def _seconds_to_wait(work: UnitOfWork, row: SecondFactorRow | None) -> float:
    if row is None or row.locked_until is None or row.locked_until <= work.now:
        return 0.0
    return (row.locked_until - work.now).total_seconds()


def _use_code(work: UnitOfWork, row: SecondFactorRow, code: str) -> bool:
    """Use a code up; a wrong one counts."""
    step = step_of_code(row.secret, code, work.now, after=row.last_step)
    if step is not None:
        row.last_step = step
    elif not factor_queries.remove_recovery_code(work.session, row.account_id, secret_hash(code)):
        row.failures += 1
        if row.failures >= CODE_TRIES:
            row.failures, row.locked_until = 0, work.now + CODE_PAUSE
        return False
    row.failures, row.locked_until = 0, None
    return True


def get_second_factor(work: UnitOfWork) -> SecondFactorState:
    """Whether the caller has a second factor. A token does not see it."""
    row = work.session.get(SecondFactorRow, require_person(work.caller).account_id)
    if row is None or row.enabled_at is None:
        return SecondFactorState()
    left = factor_queries.count_recovery_codes(work.session, row.account_id)
    return SecondFactorState(enabled_at=row.enabled_at, recovery_codes_left=left)


def start_second_factor(work: UnitOfWork) -> SecondFactorStart:
    """A fresh secret for the caller's app. It counts for nothing before :func:`enable_second_factor`."""
    caller = require_proof(work.caller)
    row = work.session.get(SecondFactorRow, caller.account_id)
    if row is not None and row.enabled_at is not None:
        raise InvalidRequestError("The second factor is on: switch it off first.")
    secret = make_totp_secret()
    if row is None:
        row = SecondFactorRow(account_id=caller.account_id, secret=secret, created_at=work.now)
        work.session.add(row)
    row.secret = secret
    return SecondFactorStart(secret=secret, uri=totp_uri(secret, caller.name))


def enable_second_factor(work: UnitOfWork, code: str) -> RecoveryCodes:
    """Switch it on, by a code that shows that the app has the secret. Returns the recovery codes, this once."""
    caller = require_proof(work.caller)
    row = work.session.get(SecondFactorRow, caller.account_id, with_for_update=True)
    if row is None or row.enabled_at is not None:
        raise InvalidRequestError("No second factor is being set up: start with a new secret.")
    step = step_of_code(row.secret, clean_code(code), work.now, after=row.last_step)
    if step is None:
        raise InvalidRequestError("The code is wrong: check that the clock of the app's device is right.")
    row.last_step, row.enabled_at = step, work.now
    codes = [make_recovery_code() for _ in range(RECOVERY_CODES)]
    hashes = [secret_hash(clean_code(one)) for one in codes]
    work.session.add_all([RecoveryCodeRow(account_id=row.account_id, code_sha256=one) for one in hashes])
    return RecoveryCodes(codes=codes)


def disable_second_factor(work: UnitOfWork) -> None:
    """Switch the caller's second factor off. Call :func:`prove_code` before."""
    factor_queries.remove_second_factor(work.session, require_proof(work.caller).account_id)


def reset_second_factor(work: UnitOfWork, name: str) -> AccountRow:
    """For the operator: switch off an account's second factor. Raises ``AccountNotFoundError``."""
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    factor_queries.remove_second_factor(work.session, row.id)
    credential_queries.remove_web_sessions_of(work.session, row.id)
    return row
