"""Write in discussions: begin one, reply, edit and delete one's own words; moderators hide posts."""

from datetime import datetime, timedelta

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import WithheldError
from hub_server.catalog.models import PackageRow
from hub_server.catalog.queries import packages as catalog_queries
from hub_server.database.base import new_id
from hub_server.discussions import queries
from hub_server.discussions.actions.followers import follow_with_owners
from hub_server.discussions.actions.threads import facts_of, get_post_row, get_thread, posts_of
from hub_server.discussions.errors import DiscussionClosedError, TooManyPostsError
from hub_server.discussions.models import DiscussionRow, PostRow
from hub_server.discussions.queries import Thread
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing.errors import ArchivedError
from schemas.account import Scope
from schemas.discussions import Discussion, DiscussionCreate, Post, PostWrite
from schemas.events import EventKind

_DAY = timedelta(days=1)


def open_discussion(work: UnitOfWork, package_id: str, body: DiscussionCreate) -> Discussion:
    """Begin a discussion. The package's owners and whoever watches it are told. Sent twice, it is begun once.

    Raises ``ArchivedError``, ``QuarantinedError``, ``CaseNotFoundError``, ``TooManyPostsError``.
    """
    caller = require_caller(work.caller, Scope.CASES)
    catalog.get_package_row(work, package_id)
    if body.case is not None:
        audits.get_case(work, package_id, body.case)
    account_queries.lock_account(work.session, caller.account_id)
    same = queries.find_same_thread(work.session, package_id, caller.name, body.title)
    if same is not None and (same.opening.text, same.row.case_id) == (body.text, body.case):
        return _shown(work, same)
    package = _lock_open_package(work, package_id)
    if package.archived_reason is not None:
        raise ArchivedError(f"{package_id} is archived, and no discussion is begun: {package.archived_reason}")
    _refuse_too_many(work, caller, is_reply=False)
    now = work.now
    row = DiscussionRow(
        id=new_id(now), package_id=package.id, case_id=body.case, title=body.title, activity=new_id(now),
        last_post_at=now, post_count=1, owner=package.owner, is_private=package.is_private,
    )  # fmt: skip
    work.session.add(row)
    work.session.flush()
    opening = _add_post(work, row, caller, body.text, now)
    follow_with_owners(work, caller, row.id, package.owner)
    case = {"case": body.case} if body.case is not None else {}
    work.announce(EventKind.DISCUSSION_OPENED, package.id, discussion=row.id, by=caller.name, **case)
    return _shown(work, Thread(row, opening))


def reply(work: UnitOfWork, package_id: str, discussion_id: str, body: PostWrite) -> Post:
    """Add a post. Whoever follows the discussion is told. The same words again right after are not added twice.

    Raises ``DiscussionClosedError``, ``QuarantinedError``, ``TooManyPostsError``.
    """
    caller = require_caller(work.caller, Scope.CASES)
    _refuse_title(body, 0)
    get_thread(work, package_id, discussion_id)
    account_queries.lock_account(work.session, caller.account_id)
    package = _lock_open_package(work, package_id)
    queries.lock_discussion(work.session, discussion_id)
    thread = get_thread(work, package_id, discussion_id)
    last = get_post_row(thread, thread.row.post_count, work)
    if last.number > 1 and (last.author, last.text) == (caller.name, body.text):
        return posts_of(work, [last])[0]
    _refuse_reply(thread.row, package)
    _refuse_too_many(work, caller, is_reply=True)
    thread.row.post_count += 1
    thread.row.last_post_at = now = work.now
    thread.row.activity = new_id(now)
    post = _add_post(work, thread.row, caller, body.text, now)
    follow_with_owners(work, caller, thread.row.id)
    work.announce(EventKind.DISCUSSION_REPLIED, package.id, discussion=thread.row.id, by=caller.name)
    return posts_of(work, [post])[0]


def edit_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int, body: PostWrite) -> Post:
    """Change one's own words; the post says that it was edited. Raises ``NotAllowedError``, ``WithheldError``."""
    _refuse_title(body, number)
    thread, post = _own_post(work, package_id, discussion_id, number)
    _lock_open_package(work, package_id)
    title = body.title if body.title is not None else thread.row.title
    if (post.text, thread.row.title) != (body.text, title):
        post.text, post.edited_at, thread.row.title = body.text, work.now, title
    return posts_of(work, [post])[0]


def delete_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int) -> None:
    """Delete one's own words for good. The post stays as a gap, and others' replies stay.

    A discussion that nobody replied to is gone with its first post, whose title goes too.
    """
    thread, post = _own_post(work, package_id, discussion_id, number)
    post.text, post.deleted_at, post.edited_at = "", work.now, None
    if number == 1:
        thread.row.title = ""


def set_post_hidden(work: UnitOfWork, package_id: str, discussion_id: str, number: int, reason: str | None) -> Post:
    """Hide a post from everybody but moderators, with a reason, or show it again (None). The first: all of it.

    ``moderation`` decides who may, and writes it down.
    """
    post = get_post_row(get_thread(work, package_id, discussion_id), number, work)
    if (post.hidden_reason is None) == (reason is None):
        raise InvalidRequestError(f"Post {number} is {'not ' if reason is None else ''}hidden already.")
    post.hidden_reason = reason
    return posts_of(work, [post])[0]


def erase_discussions(work: UnitOfWork, package_id: str) -> None:
    """Remove the words of a package that was taken down: they may repeat what it held."""
    queries.erase_words(work.session, package_id, work.now)


def _own_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int) -> tuple[Thread, PostRow]:
    caller = require_caller(work.caller, Scope.CASES)
    thread = get_thread(work, package_id, discussion_id)
    queries.lock_discussion(work.session, discussion_id)
    post = get_post_row(thread, number, work)
    if post.author != caller.name:
        raise NotAllowedError(f"Post {number} is {post.author}'s: only its author changes it.")
    if post.hidden_reason is not None:
        raise WithheldError(f"Post {number} is hidden, and stays as it is: {post.hidden_reason}")
    if post.deleted_at is not None:
        raise DiscussionClosedError(f"Post {number} is deleted.")
    return thread, post


def _lock_open_package(work: UnitOfWork, package_id: str) -> PackageRow:
    """The package, locked: it is neither made public nor given away nor stopped meanwhile."""
    package = catalog_queries.lock_package(work.session, package_id)
    assert package is not None
    catalog.refuse_barred(package)
    return package


def _refuse_title(body: PostWrite, number: int) -> None:
    if body.title is not None and number != 1:
        raise InvalidRequestError("Only the first post has a title: that of the discussion.")


def _refuse_reply(row: DiscussionRow, package: PackageRow) -> None:
    if row.closed_by:
        why = f": {row.closed_reason}" if row.closed_reason else "."
        raise DiscussionClosedError(f"{row.closed_by} closed this discussion{why}")
    if row.is_private and not (package.is_private and package.owner == row.owner):
        raise DiscussionClosedError(
            "This discussion began while the package was private, and is closed to new posts: begin a new one."
        )


def _refuse_too_many(work: UnitOfWork, caller: Caller, *, is_reply: bool) -> None:
    limits = work.services.settings.limits
    begun, written = queries.count_posts_by(work.session, caller.name, work.now - _DAY)
    if not is_reply and begun >= limits.discussions_per_day:
        raise TooManyPostsError(
            f"{limits.discussions_per_day} discussions in 24 hours is the most that one account begins on this hub.",
            retry_after_seconds=3600,
        )
    if written >= limits.posts_per_day:
        raise TooManyPostsError(
            f"{limits.posts_per_day} posts in 24 hours is the most that one account writes on this hub.",
            retry_after_seconds=3600,
        )


def _add_post(work: UnitOfWork, row: DiscussionRow, caller: Caller, text: str, now: datetime) -> PostRow:
    post = PostRow(discussion_id=row.id, number=row.post_count, author=caller.name, text=text, posted_at=now)
    work.session.add(post)
    work.session.flush()
    return post


def _shown(work: UnitOfWork, thread: Thread) -> Discussion:
    return Discussion(**facts_of(thread), posts=posts_of(work, [thread.opening]))
