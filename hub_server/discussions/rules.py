"""Pure decisions about discussions: who may close one and open it again."""

from collections.abc import Collection
from enum import StrEnum


class Standing(StrEnum):
    """By which right somebody closes or opens a discussion. The value is stored."""

    AUTHOR = "author"
    OWNER = "owner"
    """Of the package: the account, or a maintainer of the organisation."""
    MODERATOR = "moderator"


_ORDER = tuple(Standing)


def standing_used(mine: Collection[Standing], closed_as: str = "") -> Standing | None:
    """The least of somebody's standings that is enough; None: none is.

    Whoever has one may close. What was closed is opened by the same standing or a higher one: an author does not undo
    what the owner did, nor an owner what a moderator did.
    """
    least = _ORDER.index(Standing(closed_as)) if closed_as in set(Standing) else 0
    return next((one for one in _ORDER[least:] if one in mine), None)
