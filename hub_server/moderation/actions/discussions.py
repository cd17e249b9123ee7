"""Moderators hide posts and close discussions. ``discussions`` does it; here it is written to the log."""

from hub_server.accounts import actions as accounts
from hub_server.discussions import actions as discussions
from hub_server.discussions.rules import Right
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.own_matters import refuse_lifting_own
from schemas.discussions import DiscussionSummary, Post
from schemas.moderation import ModerationAction


def hide_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int, reason: str) -> Post:
    """Show a post to moderators alone, with a line in the log; the first post: the whole discussion."""
    accounts.require_proven_moderator(work)
    why = require_reason(reason, "Hiding a post")
    post = discussions.set_post_hidden(work, package_id, discussion_id, number, why)
    note_act(work, "hide_post", why, package_id=package_id, discussion=discussion_id, post=number)
    return post


def show_post(work: UnitOfWork, package_id: str, discussion_id: str, number: int, reason: str) -> Post:
    """Undo ``hide_post``, with a line in the log."""
    accounts.require_proven_moderator(work)
    why = require_reason(reason, "Showing a post")
    author = discussions.get_post(work, package_id, discussion_id, number).author
    about: dict[str, str | int] = {"package_id": package_id, "discussion": discussion_id, "post": number}
    refuse_lifting_own(work, "hide_post", "show_post", [author], **about)
    post = discussions.set_post_hidden(work, package_id, discussion_id, number, None)
    note_act(work, "show_post", why, package_id=package_id, discussion=discussion_id, post=number)
    return post


def close_discussion(work: UnitOfWork, package_id: str, discussion_id: str, reason: str) -> DiscussionSummary:
    """End a discussion: nothing more is added. With a line in the log where it takes a moderator's right."""
    return _set_open(work, package_id, discussion_id, reason.strip(), is_open=False)


def reopen_discussion(work: UnitOfWork, package_id: str, discussion_id: str, reason: str) -> DiscussionSummary:
    """Undo ``close_discussion``, with a line in the log as there."""
    return _set_open(work, package_id, discussion_id, reason.strip(), is_open=True)


def _set_open(
    work: UnitOfWork, package_id: str, discussion_id: str, reason: str, *, is_open: bool
) -> DiscussionSummary:
    summary, used = discussions.set_open(work, package_id, discussion_id, reason, is_open=is_open)
    if used is Right.MODERATOR:
        why = require_reason(reason, f"{'Opening' if is_open else 'Closing'} a discussion")
        act: ModerationAction = "reopen_discussion" if is_open else "close_discussion"
        note_act(work, act, why, package_id=package_id, discussion=discussion_id)
    return summary
