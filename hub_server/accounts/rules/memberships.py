"""Pure decisions about the members of organisations."""

from datetime import datetime, timedelta

from schemas.account import Role

DECLINED_FOR = timedelta(days=30)
"""For so long an organisation does not ask again who has declined."""
COUNTED_AFTER_LEAVING = timedelta(days=180)
"""For so long whoever left an organisation still counts as one of those behind its packages. Chosen, not measured:
leaving for the length of a dispute must gain nothing, and people who once worked at one place are not one for ever.
"""
MOST_ORGANIZATIONS = 50
"""So many organisations an account may be an owner of before it creates another: names are one for all."""
MOST_INVITATIONS = 100
"""So many people an organisation may have asked who have not answered."""


def role_of(stored: str) -> Role:
    """A membership's role. One that only another version of the hub knows allows the least."""
    return Role(stored) if stored in set(Role) else Role.MEMBER


def may_invite_again(declined_at: datetime | None, now: datetime) -> bool:
    """Whether an organisation may ask somebody who has declined: nobody is asked over and over."""
    return declined_at is None or now - declined_at >= DECLINED_FOR
