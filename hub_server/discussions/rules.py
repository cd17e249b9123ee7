"""Pure decisions about discussions: who may close one and open it again."""

from collections.abc import Collection
from enum import StrEnum


class Right(StrEnum):
    """By which right somebody closes or opens a discussion. The value is stored."""

    AUTHOR = "author"
    OWNER = "owner"
    """Of the package: the account, or a maintainer of the organisation."""
    MODERATOR = "moderator"


_ORDER = tuple(Right)


def right_used(mine: Collection[Right], closed_as: str = "") -> Right | None:
    """The least of somebody's rights that is enough; None: none is.

    Whoever has one may close. What was closed is opened by the same right or a higher one: an author does not undo
    what the owner did, nor an owner what a moderator did. A right that this hub does not know is held for the highest.
    """
    known = closed_as in set(Right)
    least = _ORDER.index(Right(closed_as) if known else Right.MODERATOR if closed_as else Right.AUTHOR)
    return next((one for one in _ORDER[least:] if one in mine), None)
