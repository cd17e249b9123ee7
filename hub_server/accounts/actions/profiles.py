"""What an owner says of itself on its page: a display name, a description and one link."""

from hub_server.accounts.actions.account_rows import get_any_account
from hub_server.accounts.actions.organizations import governs
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.models import ORGANIZATION, AccountRow
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import OwnerProfile, Profile


def get_profile(work: UnitOfWork, name: str) -> OwnerProfile:
    """What a person or an organisation says of itself. Raises ``AccountNotFoundError``.

    What moderators hide, by itself or with all that a suspended account has, is shown to them and to its owner alone.
    """
    return _profile_of(work, get_any_account(work, name))


def change_profile(work: UnitOfWork, name: str, body: Profile) -> OwnerProfile:
    """Say all of it anew. For the person itself, and for an organisation's owners, who have just typed the password:
    readers follow the link because they trust the name above it.

    What is hidden stays hidden. Raises ``AccountNotFoundError`` and ``NotAllowedError``.
    """
    caller = require_proof(work)
    row = get_any_account(work, name)
    if not governs(work, caller.name, name):
        raise NotAllowedError(
            f"{name} is neither your account ({caller.name}) nor an organisation that you are an owner of."
        )
    row.display_name, row.description, row.link = body.display_name, body.description, body.link
    work.session.flush()
    return _profile_of(work, row)


def set_profile_hidden(work: UnitOfWork, name: str, reason: str | None) -> None:
    """Hide what an owner says of itself, or show it again (None). ``moderation`` decides who may, and writes the log.

    Raises ``AccountNotFoundError``, and ``InvalidRequestError`` where it is so already.
    """
    row = get_any_account(work, name)
    if (row.profile_hidden_reason is None) == (reason is None):
        raise InvalidRequestError(f"What {name} says of itself is {'shown' if reason is None else 'hidden'} already.")
    row.profile_hidden_reason = reason
    work.session.flush()


def _profile_of(work: UnitOfWork, row: AccountRow) -> OwnerProfile:
    hidden = row.profile_hidden_reason if row.profile_hidden_reason is not None else row.hidden_reason
    caller = work.caller
    is_shown = hidden is None or (caller is not None and (caller.is_moderator or governs(work, caller.name, row.name)))
    return OwnerProfile(
        name=row.name,
        kind="organization" if row.kind == ORGANIZATION else "person",
        created_at=row.created_at,
        display_name=row.display_name if is_shown else "",
        description=row.description if is_shown else "",
        link=row.link if is_shown else "",
        hidden_reason=hidden,
    )
