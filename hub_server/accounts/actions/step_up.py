"""The second factor once more, for what would let somebody keep an account: factors, keys, the address, tokens.

A password that was typed in the last minutes is not enough for these. It counts for every request with the browser's
cookie, and a thief may have copied that cookie.
"""

from dataclasses import dataclass

from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.kernel.caller import Caller, require_proof
from hub_server.kernel.unit_of_work import UnitOfWork


@dataclass(frozen=True)
class ProvenFactor:
    """The second factor of an account was right, for one act. Only ``second_factors.prove_factor`` makes one."""

    account_id: str


def require_factor(work: UnitOfWork, factor: ProvenFactor | None) -> Caller:
    """The caller, if it has proved its second factor for this very act, or has none. Its password must be proved too.

    Raises ``SecondFactorNeededError``. Asked in the transaction of the act, so that a factor counts from when it is
    there: whoever adds the first one holds the same lock, and finds what was begun before it.
    """
    caller = require_proof(work.caller)
    if caller.is_momentary or (factor is not None and factor.account_id == caller.account_id):
        return caller
    account_queries.lock_account(work.session, caller.account_id)
    if factor_queries.has_second_factor(work.session, caller.account_id):
        raise SecondFactorNeededError(
            "This needs your second factor once more, whenever you typed the password: answer with your security key "
            "or a code on the page, or in a shell use `verihub`, which asks for it."
        )
    return caller
