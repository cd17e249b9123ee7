"""The second factor once more, for one act: whatever gives power over an account, or cannot be undone, asks for it.

A password that was typed in the last minutes is not enough. It counts for every request with the browser's cookie, and
a thief may have copied that cookie. The factor comes with the request itself: in a form, or as the secret of one
command. ``tests/hub_server/web/test_proofs.py`` lists every route that writes, with what it asks for and why.
"""

from hub_server.accounts.actions.account_rows import refuse_deleted
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.kernel.caller import Caller, require_moderator, require_password
from hub_server.kernel.unit_of_work import UnitOfWork


def require_proof(work: UnitOfWork) -> Caller:
    """The caller, if it typed the password in the last minutes and showed its second factor for this very act, or has
    none.

    Raises ``PasswordNeededError`` and ``SecondFactorNeededError``. Asked in the transaction of the act, and before any
    other lock, so that a factor counts from when it is there: whoever adds the first one holds the same lock, and finds
    what was begun before it.
    """
    caller = require_password(work.caller)
    if not caller.has_shown_factor:
        account_queries.lock_account(work.session, caller.account_id)
    refuse_deleted(work)
    if caller.has_shown_factor:
        return caller
    if factor_queries.has_second_factor(work.session, caller.account_id):
        raise SecondFactorNeededError(
            "This needs your second factor once more, whenever you typed the password: answer with your security key "
            "or a code on the page, or in a shell use `verihub`, which asks for it."
        )
    return caller


def require_proven_moderator(work: UnitOfWork) -> Caller:
    """The caller, if it may act as a moderator: one who has proved who it is for this act, or the operator.

    A token that leaks, a browser left open or a copied cookie stops nobody.
    """
    require_moderator(work.caller)
    return require_proof(work)
