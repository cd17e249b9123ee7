"""Discussions on a package or on one of its counter-examples: what is read, and what an account sends to write one."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.base import WireModel
from schemas.names import PackageId
from schemas.titles import Title

MOST_POST_CHARACTERS = 8_000
"""Characters of one post, in Markdown."""
PostText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_POST_CHARACTERS, pattern=r"^[^\x00]*$"),
]


class DiscussionCreate(WireModel):
    """Begin a discussion. ``text`` is Markdown. ``case``: the counter-example that it is about; None: the package."""

    title: Title
    text: PostText
    case: str | None = Field(None, min_length=1, max_length=64)


class PostWrite(WireModel):
    """What a post says, in Markdown. ``title``: of the discussion, with its first post alone; None: as it is."""

    text: PostText
    title: Title | None = None


class StateChange(WireModel):
    """Why a discussion is closed or opened again. A moderator must say it, and it stands in the log."""

    reason: str = Field("", max_length=2000)


class Post(WireModel):
    """One post. ``number`` counts from 1, which is the post that begins the discussion, and never changes.

    ``text`` is empty where its author deleted it, or where it is hidden from the reader.
    """

    number: int
    author: str
    text: str
    posted_at: datetime
    edited_at: datetime | None = None
    is_deleted: bool = False
    hidden_reason: str | None = None
    """Why it is not shown; None: it is. Moderators read its text all the same."""


class DiscussionSummary(WireModel):
    """A discussion as a list shows it. ``reply_count`` counts deleted and hidden replies too."""

    id: str
    package: PackageId
    case: str | None = None
    """The counter-example that it is about."""
    title: str
    author: str
    opened_at: datetime
    last_post_at: datetime
    reply_count: int
    is_open: bool
    closed_by: str = ""
    closed_reason: str = ""
    is_private: bool = False
    """It began while the package was private, and only those who had the package then see it."""
    hidden_reason: str | None = None
    """Why it is not shown. Moderators alone read this."""


class Discussion(DiscussionSummary):
    """A discussion with some of its posts, in order. ``next``: the ``after`` of the request for those that follow."""

    posts: list[Post]
    next: int | None = None
