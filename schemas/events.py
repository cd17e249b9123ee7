"""What happened on a hub: one list in the order of the commits, which others follow, and which webhooks tell."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from schemas.base import WireModel
from schemas.names import PackageId, VersionText


class EventKind(StrEnum):
    """What happened. The value is stored and sent."""

    RELEASE_PUBLISHED = "release.published"
    RELEASE_DEPRECATED = "release.deprecated"
    RELEASE_YANKED = "release.yanked"
    RELEASE_QUARANTINED = "release.quarantined"
    RELEASE_TAKEN_DOWN = "release.taken_down"
    RELEASE_RESTORED = "release.restored"
    """It is neither yanked, deprecated nor quarantined any more."""
    PACKAGE_MADE_PUBLIC = "package.made_public"
    """Its releases are in no earlier public event: read them now."""
    PACKAGE_TRANSFERRED = "package.transferred"
    """It has another owner, and keeps its id."""
    PACKAGE_ARCHIVED = "package.archived"
    PACKAGE_REOPENED = "package.reopened"
    AUDIT_FINISHED = "audit.finished"
    GRADE_CHANGED = "grade.changed"
    CASE_SUBMITTED = "case.submitted"
    CASE_SECONDED = "case.seconded"
    CASE_COUNTS = "case.counts"
    """A counter-example counts in the rates from now on."""
    DISCUSSION_OPENED = "discussion.opened"
    DISCUSSION_REPLIED = "discussion.replied"
    RUN_FINISHED = "run.finished"


class Event(WireModel):
    """One event. It holds names, versions, ids and grades, and no text of a person: nothing in it must ever go.

    ``position`` is its number among the public events of this hub, from 1 on without gaps; None: it is about something
    private, and only its owner's webhooks and mails tell it.
    """

    position: int | None
    kind: EventKind
    at: datetime
    owner: str
    package: PackageId | None = None
    version: VersionText | None = None
    run: str | None = None
    facts: dict[str, str] = Field(default_factory=dict)
    """``audit``, ``case``: ids; ``grade``, ``before``: grades; ``digest``: of the wheel; ``state``: of the case;
    ``from``: who had the package; ``discussion``: an id, ``by``: who wrote in it.
    """


class EventPage(WireModel):
    """Events after ``since``, in order. ``next`` is the ``since`` of the next request; ``newest`` the last one."""

    items: list[Event]
    next: int
    newest: int
