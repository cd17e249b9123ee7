"""A moderator lifts nothing that others stopped of what is theirs."""

from collections.abc import Collection

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.errors import NotAllowedError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from schemas.moderation import ModerationAction


def refuse_lifting_own(
    work: UnitOfWork, stop: ModerationAction, lift: ModerationAction, owners: Collection[str], **about: str | int
) -> None:
    """Raises ``NotAllowedError`` where one of ``owners`` is the moderator or an organisation of theirs, and somebody
    else has stopped it since it was last lifted. ``about``: columns of the log that name it.
    """
    moderator = accounts.require_proven_moderator(work)
    if moderator.is_operator:
        return
    theirs = {moderator.name} | accounts.organizations_of_person(work, moderator.name)
    if theirs & set(owners) and queries.was_stopped_by_others(work.session, moderator.name, stop, lift, about):
        raise NotAllowedError(
            "This is yours or your organisation's, and somebody else stopped it: another moderator lifts it, or this "
            "hub's operator."
        )


def people_behind(work: UnitOfWork, package_id: str) -> Collection[str]:
    """Who has or had a package, and those of its organisation."""
    return catalog.people_behind(work, [package_id])[package_id]
