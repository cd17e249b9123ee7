"""Recovery codes: made with an account's first second factor, forgotten with its last, each accepted once."""

from hub_server.accounts.models import RecoveryCodeRow
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.accounts.rules.second_factors import RECOVERY_CODES, clean_code, make_recovery_code
from hub_server.accounts.rules.secrets import secret_hash
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import RecoveryCodes


def make_codes(work: UnitOfWork, account_id: str) -> RecoveryCodes:
    """Fresh codes, shown this once; older ones are not accepted any more."""
    factor_queries.remove_recovery_codes(work.session, account_id)
    codes = [make_recovery_code() for _ in range(RECOVERY_CODES)]
    hashes = [secret_hash(clean_code(one)) for one in codes]
    work.session.add_all([RecoveryCodeRow(account_id=account_id, code_sha256=one) for one in hashes])
    return RecoveryCodes(codes=codes)


def use_code(work: UnitOfWork, account_id: str, code: str) -> bool:
    """Use a code up; False when it is none of the account's."""
    return factor_queries.remove_recovery_code(work.session, account_id, secret_hash(clean_code(code)))


def forget_unneeded(work: UnitOfWork, account_id: str) -> None:
    """After a factor was removed: an account without one has no use for codes."""
    work.session.flush()
    if not factor_queries.has_second_factor(work.session, account_id):
        factor_queries.remove_recovery_codes(work.session, account_id)
