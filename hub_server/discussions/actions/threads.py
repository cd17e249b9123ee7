"""Read discussions: lists, one discussion with its posts, counts for other pages."""

from collections.abc import Collection, Sequence

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.queries.cases import hidden_among as hidden_cases_among
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import WithheldError
from hub_server.discussions import queries
from hub_server.discussions.errors import DiscussionNotFoundError
from hub_server.discussions.models import PostRow
from hub_server.discussions.queries import Thread
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.discussions import Discussion, DiscussionSummary, Post
from schemas.page import Page

STATES = ("open", "closed")
AUTHOR_SUSPENDED = "Its author is suspended."


def list_discussions(
    work: UnitOfWork,
    package_id: str,
    *,
    case: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[DiscussionSummary]:
    """A package's discussions, the one with the newest post first. Hidden ones are for moderators alone."""
    package = catalog.get_package_row(work, package_id)
    if state is not None and state not in STATES:
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(STATES)}.")
    after = decode_cursor(cursor, "discussions", str)
    found = queries.page_of_threads(
        work.session,
        package.id,
        case_id=case,
        is_open=None if state is None else state == "open",
        before=after[0] if after else None,
        limit=check_limit(limit) + 1,
        with_hidden=work.sees_hidden,
    )
    counts = queries.count_threads(work.session, package.id, case)
    return Page[DiscussionSummary](
        items=[DiscussionSummary(**facts_of(thread)) for thread in found[:limit]],
        next=encode_cursor("discussions", found[limit - 1].row.activity) if len(found) > limit else None,
        facets={"state": {name: counts.get(name == "open", 0) for name in STATES}},
    )


def count_open(work: UnitOfWork, package_id: str) -> int:
    """How many open discussions of a package the caller sees."""
    return queries.count_threads(work.session, package_id, None).get(True, 0)


def count_by_case(work: UnitOfWork, case_ids: Collection[str]) -> dict[str, int]:
    """How many discussions of each counter-example the caller sees; those without any are left out."""
    return queries.count_by_case(work.session, case_ids) if case_ids else {}


def get_discussion(
    work: UnitOfWork, package_id: str, discussion_id: str, *, after: int = 0, limit: int = 30
) -> Discussion:
    """A discussion with the posts that follow the number ``after``.

    Raises ``DiscussionNotFoundError``, ``WithheldError``.
    """
    thread = get_thread(work, package_id, discussion_id)
    rows = queries.posts_after(work.session, thread.row.id, after, check_limit(limit) + 1)
    return Discussion(
        **facts_of(thread),
        posts=posts_of(work, rows[:limit]),
        next=rows[limit - 1].number if len(rows) > limit else None,
    )


def get_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int) -> Post:
    """One post as the caller sees it. Raises as :func:`get_discussion`."""
    return posts_of(work, [get_post_row(get_thread(work, package_id, discussion_id), number, work)])[0]


def get_thread(work: UnitOfWork, package_id: str, discussion_id: str) -> Thread:
    """A discussion's rows, for actions on it. Moderators see what they hid. Raises as :func:`get_discussion`."""
    package = catalog.get_package_row(work, package_id)
    thread = queries.find_thread(work.session, package.id, discussion_id)
    missing = DiscussionNotFoundError(f"{package_id} has no discussion {discussion_id!r}.")
    if thread is None:
        raise missing
    if work.sees_hidden:
        return thread
    if thread.opening.hidden_reason is not None:
        raise WithheldError(f"This discussion of {package_id} is hidden: {thread.opening.hidden_reason}")
    if account_queries.hidden_among(work.session, [thread.opening.author]):
        raise WithheldError(f"This discussion of {package_id} is hidden while its author is suspended.")
    if thread.row.case_id is not None and hidden_cases_among(work.session, [thread.row.case_id]):
        raise missing
    return thread


def get_post_row(thread: Thread, number: int, work: UnitOfWork) -> PostRow:
    """A post's row, for actions on it. Raises ``DiscussionNotFoundError``."""
    row = queries.find_post(work.session, thread.row.id, number)
    if row is None:
        raise DiscussionNotFoundError(f"The discussion has no post {number}: its last one is {thread.row.post_count}.")
    return row


def posts_of(work: UnitOfWork, rows: Sequence[PostRow]) -> list[Post]:
    """Posts as the caller sees them."""
    suspended = account_queries.hidden_among(work.session, [row.author for row in rows])
    return [_post_of(row, is_suspended=row.author in suspended, shows_hidden=work.sees_hidden) for row in rows]


def _post_of(row: PostRow, *, is_suspended: bool, shows_hidden: bool) -> Post:
    hidden = row.hidden_reason if row.hidden_reason is not None else AUTHOR_SUSPENDED if is_suspended else None
    return Post(
        number=row.number,
        author=row.author,
        text=row.text if hidden is None or shows_hidden else "",
        posted_at=row.posted_at,
        edited_at=row.edited_at,
        is_deleted=row.deleted_at is not None,
        hidden_reason=hidden,
    )


def facts_of(thread: Thread) -> dict[str, object]:
    """What a list shows of a discussion."""
    row = thread.row
    return {
        "id": row.id,
        "package": row.package_id,
        "case": row.case_id,
        "title": row.title,
        "author": thread.opening.author,
        "opened_at": thread.opening.posted_at,
        "last_post_at": row.last_post_at,
        "reply_count": row.post_count - 1,
        "is_open": not row.closed_by,
        "closed_by": row.closed_by,
        "closed_reason": row.closed_reason,
        "is_private": row.is_private,
        "hidden_reason": thread.opening.hidden_reason,
    }
