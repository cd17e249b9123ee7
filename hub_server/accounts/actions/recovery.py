"""A new password by a link that was mailed."""

from hub_server.accounts.actions.authentication import set_password
from hub_server.accounts.actions.mailed_links import RESET, take_mailed_secret
from hub_server.accounts.actions.suspensions import refuse_suspended
from hub_server.database import activity
from hub_server.kernel.unit_of_work import UnitOfWork


def reset_password(work: UnitOfWork, code: str, new_hash: str) -> str:
    """Set a password by the code that was mailed; returns the account's name. A code can be used once.

    As when the password is changed, every browser and every token ends. The mail has arrived, so its address is
    confirmed too. A second factor stays. Raises ``TokenNotFoundError``.
    """
    _, row = take_mailed_secret(work, code, RESET)
    refuse_suspended(row)
    row.email_confirmed_at = row.email_confirmed_at or work.now
    set_password(work, row, new_hash)
    activity.note(work.session, work.now, row.id, "Set a new password by a mailed link", by="mail")
    return row.name
