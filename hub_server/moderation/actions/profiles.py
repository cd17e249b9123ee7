"""Moderators hide what an owner says of itself. The actions of ``accounts`` do it; here it is written to the log."""

from hub_server.accounts import actions as accounts
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.own_matters import refuse_lifting_own


def hide_profile(work: UnitOfWork, name: str, reason: str) -> None:
    """Take display name, description and link of an owner off its page, with a line in the log.

    Raises ``AccountNotFoundError``, and ``InvalidRequestError`` where they are hidden already.
    """
    accounts.require_proven_moderator(work)
    accounts.set_profile_hidden(work, name, require_reason(reason, "Hiding a description"))
    note_act(work, "hide_profile", reason.strip(), account=name)


def show_profile(work: UnitOfWork, name: str, reason: str) -> None:
    """Undo ``hide_profile``, with a line in the log."""
    accounts.require_proven_moderator(work)
    refuse_lifting_own(work, "hide_profile", "show_profile", [name], account=name)
    accounts.set_profile_hidden(work, name, None)
    note_act(work, "show_profile", require_reason(reason, "Showing a description"), account=name)
