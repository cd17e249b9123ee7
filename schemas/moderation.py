"""Reports about packages and collections, and what moderators decided."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.names import MAX_PACKAGE_ID, NAME_PATTERN, OWNER_PATTERN, PackageId, VersionText

ModerationAction = Literal[
    "quarantine",
    "release",
    "quarantine_package",
    "release_package",
    "take_down",
    "decide",
    "hide_case",
    "show_case",
    "settle_case",
    "hide_post",
    "show_post",
    "close_discussion",
    "reopen_discussion",
    "hide_collection",
    "show_collection",
    "hide_profile",
    "show_profile",
    "suspend",
    "unsuspend",
    "reset_second_factor",
    "block_name",
    "unblock_name",
    "make_moderator",
    "remove_moderator",
]


class ReportReason(StrEnum):
    """What is wrong with a package or a collection."""

    MALWARE = "malware"
    DISHONEST = "dishonest"
    """Labels or rates that are made to deceive."""
    LICENCE = "licence"
    SPAM = "spam"
    OTHER = "other"


class ReportCreate(WireModel):
    """Tell the moderators about a package, or one of its releases."""

    reason: ReportReason
    text: str = Field(min_length=1, max_length=4000)
    version: VersionText | None = None
    discussion: str | None = Field(None, max_length=64)
    """The discussion of the package that it is about, with ``post``."""
    post: int | None = Field(None, ge=1, lt=2**31)
    """The number of the post that it is about."""


class CollectionReportCreate(WireModel):
    """Tell the moderators about a collection."""

    reason: ReportReason
    text: str = Field(min_length=1, max_length=4000)


class OwnerReportCreate(CollectionReportCreate):
    """Tell the moderators about a person or an organisation: what it says of itself, or what it does here."""


class Report(WireModel):
    """A report as moderators and its sender see it."""

    id: str
    package: PackageId | None
    """Null where it is about a collection, a person or an organisation."""
    version: VersionText | None
    collection: str = ""
    """The collection (``owner/name``) that it is about, or empty."""
    account: str = ""
    """The person or organisation that it is about, or empty."""
    reason: ReportReason
    text: str
    discussion: str = ""
    """The discussion that it is about, or empty."""
    post: int | None = None
    reporter: str
    created_at: datetime
    state: Literal["open", "acted", "dismissed"]
    decision: str = ""
    decided_by: str = ""
    decided_at: datetime | None = None


class ReportDecision(WireModel):
    """How a report ends. ``acted``: something was done, usually a quarantine. ``decision`` says what and why."""

    state: Literal["acted", "dismissed"]
    decision: str = Field(min_length=1, max_length=2000)


class ModerationEvent(WireModel):
    """One line of the public log: who did what to which package, account or name, and why."""

    id: str
    at: datetime
    actor: str
    action: ModerationAction
    package: PackageId | None
    """Null where it was about an account, a name or a collection."""
    version: VersionText | None
    reason: str
    case_id: str = ""
    """The counter-example that was hidden, shown again or settled."""
    account: str = ""
    """The account or the name that it was about, or empty."""
    collection: str = ""
    """The collection that it was about, or empty."""
    discussion: str = ""
    """The discussion that it was about, or empty."""
    post: int | None = None
    """The post of it that was hidden or shown again."""


class Suspension(WireModel):
    """Suspend an account. ``hide_content``: nor are its packages, counter-examples, runs and collections shown."""

    reason: str = Field(min_length=1, max_length=2000)
    hide_content: bool = False


class NameBlock(WireModel):
    """Nobody can take this name (``owner``), or publish under it (``owner`` or ``owner/name``)."""

    name: str = Field(pattern=rf"^{OWNER_PATTERN}(/{NAME_PATTERN})?$", max_length=MAX_PACKAGE_ID)
    reason: str = Field(min_length=1, max_length=2000)
