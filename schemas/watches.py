"""Watching packages and owners: mail about what happens to them."""

from datetime import datetime
from enum import StrEnum

from schemas.base import WireModel
from schemas.names import PackageId


class MailPace(StrEnum):
    """How often news are mailed: at most once an ``hour``, at most once a ``day``, or ``never``."""

    HOUR = "hour"
    DAY = "day"
    NEVER = "never"


class Watch(WireModel):
    """What an account watches: a package, or (None) all that ``owner`` has."""

    owner: str
    package: PackageId | None = None
    since: datetime


class Watching(WireModel):
    """All that an account watches, and how it is told."""

    items: list[Watch]
    pace: MailPace
    is_mailed: bool
    """False: no mail goes out, because the account's address is not confirmed or ``pace`` is ``never``."""


class MailPaceChange(WireModel):
    """How often to mail from now on."""

    pace: MailPace
