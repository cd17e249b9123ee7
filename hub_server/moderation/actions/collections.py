"""Moderators hide and show collections. The actions of ``collections`` do it; here it is written to the log."""

from hub_server.accounts import actions as accounts
from hub_server.collections import actions as collections
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.own_matters import refuse_lifting_own
from schemas.collections import Collection


def hide_collection(work: UnitOfWork, owner: str, name: str, reason: str) -> Collection:
    """Take a collection out of every list and page, with a line in the log. Raises ``CollectionNotFoundError``."""
    accounts.require_proven_moderator(work)
    collections.set_hidden(work, owner, name, require_reason(reason, "Hiding a collection"))
    note_act(work, "hide_collection", reason.strip(), collection=f"{owner}/{name}")
    return collections.get_collection(work, owner, name)


def show_collection(work: UnitOfWork, owner: str, name: str, reason: str) -> Collection:
    """Undo ``hide_collection``, with a line in the log."""
    accounts.require_proven_moderator(work)
    refuse_lifting_own(work, "hide_collection", "show_collection", [owner], collection=f"{owner}/{name}")
    collections.set_hidden(work, owner, name, None)
    note_act(work, "show_collection", require_reason(reason, "Showing a collection"), collection=f"{owner}/{name}")
    return collections.get_collection(work, owner, name)
