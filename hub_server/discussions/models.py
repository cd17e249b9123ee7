"""Tables of discussions and their posts."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base, OrderedText


class DiscussionRow(Base):
    """A discussion on a package, or on one of its counter-examples. Who began it and when stands in its first post."""

    __tablename__ = "discussions"
    __table_args__ = (Index("ix_discussions_package_id_activity", "package_id", "activity"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"))
    case_id: Mapped[str | None] = mapped_column(ForeignKey("counter_examples.id"), index=True)
    title: Mapped[str]
    activity: Mapped[str] = mapped_column(OrderedText)
    """Sorts like the moment of the newest post (``database.base.new_id``)."""
    last_post_at: Mapped[datetime]
    post_count: Mapped[int] = mapped_column(default=1)
    """The number of its last post: posts are never removed, so that numbers stay."""
    owner: Mapped[str]
    """Who had the package when it began."""
    is_private: Mapped[bool] = mapped_column(default=False)
    """Whether the package was private then: only that owner's people see it, also when the package is public or another
    owner's by now (``database.visibility``).
    """
    closed_by: Mapped[str] = mapped_column(default="")
    """Empty: it is open."""
    closed_as: Mapped[str] = mapped_column(default="")
    """By which right (``rules.Right``)."""
    closed_reason: Mapped[str] = mapped_column(default="")


class PostRow(Base):
    """One post. A deleted one keeps its row, without its text."""

    __tablename__ = "posts"
    __table_args__ = (Index("ix_posts_author_posted_at", "author", "posted_at"),)

    discussion_id: Mapped[str] = mapped_column(ForeignKey("discussions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    author: Mapped[str]
    text: Mapped[str]
    posted_at: Mapped[datetime]
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    hidden_reason: Mapped[str | None]
    """Why moderators do not show it; None: they do. A discussion is shown as its first post is."""
