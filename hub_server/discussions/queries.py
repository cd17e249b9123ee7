"""Every SQL statement about discussions and their posts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from hub_server.accounts.queries.accounts import hidden_names
from hub_server.audits.queries.cases import is_shown_case
from hub_server.discussions.models import DiscussionRow, PostRow


@dataclass(frozen=True)
class Thread:
    """A discussion with the post that began it."""

    row: DiscussionRow
    opening: PostRow


_OPENING = and_(PostRow.discussion_id == DiscussionRow.id, PostRow.number == 1)


def _threads(*conditions: ColumnElement[bool]) -> "Select[DiscussionRow, PostRow]":
    return select(DiscussionRow, PostRow).join(PostRow, _OPENING).where(*conditions)


def _shown() -> tuple[ColumnElement[bool], ...]:
    """Neither hidden, nor with its author's account or its counter-example; nor deleted before anybody replied."""
    return (
        PostRow.hidden_reason.is_(None),
        PostRow.author.not_in(hidden_names()),
        or_(PostRow.deleted_at.is_(None), DiscussionRow.post_count > 1),
        or_(DiscussionRow.case_id.is_(None), is_shown_case(DiscussionRow.case_id)),
    )


def find_thread(session: Session, package_id: str, discussion_id: str) -> Thread | None:
    """The package's discussion, whatever moderators did to it; None where there is none that is seen."""
    found = session.execute(
        _threads(DiscussionRow.id == discussion_id, DiscussionRow.package_id == package_id)
    ).one_or_none()
    return Thread(*found) if found is not None else None


def find_same_thread(session: Session, package_id: str, author: str, title: str) -> Thread | None:
    """The account's newest discussion on the package, if it has that title: the same form may have been sent twice."""
    newest = _threads(DiscussionRow.package_id == package_id, PostRow.author == author)
    found = session.execute(newest.order_by(DiscussionRow.id.desc()).limit(1)).one_or_none()
    return Thread(*found) if found is not None and found[0].title == title else None


def lock_discussion(session: Session, discussion_id: str) -> None:
    """Of two transactions that add to a discussion, the second waits here, and then sees what the first wrote."""
    statement = select(DiscussionRow).where(DiscussionRow.id == discussion_id).with_for_update()
    session.scalar(statement.execution_options(populate_existing=True))


def page_of_threads(
    session: Session,
    package_id: str,
    *,
    case_id: str | None,
    is_open: bool | None,
    before: str | None,
    limit: int,
    with_hidden: bool,
) -> list[Thread]:
    """A package's discussions, the one with the newest post first."""
    statement = _threads(DiscussionRow.package_id == package_id)
    if not with_hidden:
        statement = statement.where(*_shown())
    if case_id is not None:
        statement = statement.where(DiscussionRow.case_id == case_id)
    if is_open is not None:
        statement = statement.where((DiscussionRow.closed_by == "") == is_open)
    if before is not None:
        statement = statement.where(DiscussionRow.activity < before)
    return [Thread(*found) for found in session.execute(statement.order_by(DiscussionRow.activity.desc()).limit(limit))]


def count_threads(session: Session, package_id: str, case_id: str | None) -> dict[bool, int]:
    """How many discussions of a package are shown, by whether they are open."""
    statement = _counted_threads(of_case=case_id is not None)
    return {bool(state): count for state, count in session.execute(statement, {"package": package_id, "case": case_id})}


@cache  # the head of every page of a package asks for it
def _counted_threads(*, of_case: bool) -> "Select[bool, int]":
    is_open = DiscussionRow.closed_by == ""
    statement = select(is_open, func.count()).select_from(DiscussionRow).join(PostRow, _OPENING)
    statement = statement.where(DiscussionRow.package_id == bindparam("package"), *_shown())
    if of_case:
        statement = statement.where(DiscussionRow.case_id == bindparam("case"))
    return statement.group_by(is_open)


def count_by_case(session: Session, case_ids: Collection[str]) -> dict[str, int]:
    """How many discussions of each counter-example are shown, in one statement; those without any are left out."""
    statement = select(DiscussionRow.case_id, func.count()).join(PostRow, _OPENING)
    statement = statement.where(DiscussionRow.case_id.in_(sorted(case_ids)), *_shown())
    return {case_id or "": count for case_id, count in session.execute(statement.group_by(DiscussionRow.case_id))}


def posts_after(session: Session, discussion_id: str, number: int, limit: int) -> list[PostRow]:
    """Posts that follow one number, in order."""
    statement = select(PostRow).where(PostRow.discussion_id == discussion_id, PostRow.number > number)
    return list(session.scalars(statement.order_by(PostRow.number).limit(limit)))


def find_post(session: Session, discussion_id: str, number: int) -> PostRow | None:
    """One post as it is now, or None: whoever asks again under a lock is told what has changed."""
    statement = select(PostRow).where(PostRow.discussion_id == discussion_id, PostRow.number == number)
    return session.scalar(statement.execution_options(populate_existing=True))


def count_posts_by(session: Session, author: str, since: datetime) -> tuple[int, int]:
    """(discussions begun, posts written) by an account since then, deleted ones included."""
    counted = select(func.count().filter(PostRow.number == 1), func.count()).select_from(PostRow)
    begun, written = session.execute(counted.where(PostRow.author == author, PostRow.posted_at >= since)).one()
    return begun, written


def erase_words(session: Session, package_id: str, moment: datetime) -> None:
    """Empty every title and text of a package's discussions."""
    whole = select(DiscussionRow.id).where(DiscussionRow.package_id == package_id)
    session.execute(
        update(PostRow).where(PostRow.discussion_id.in_(whole)).values(text="", deleted_at=moment),
        execution_options={"synchronize_session": False},
    )
    session.execute(
        update(DiscussionRow).where(DiscussionRow.package_id == package_id).values(title="", closed_reason=""),
        execution_options={"synchronize_session": False},
    )
