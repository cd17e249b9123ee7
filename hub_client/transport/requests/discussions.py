"""Discussions on a package or on one of its counter-examples."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.discussions import Discussion, DiscussionCreate, DiscussionSummary, Post, PostWrite, StateChange
from schemas.names import split_package_id
from schemas.page import Page


def list_discussions(
    package: str,
    *,
    case: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> ApiCall[Page[DiscussionSummary]]:
    """One page of a package's discussions, the one with the newest post first."""
    read = Page[DiscussionSummary].read
    return ApiCall.get(_path(package), read, case=case, state=state, cursor=cursor, limit=limit)


def get_discussion(package: str, discussion: str, *, after: int = 0, limit: int | None = None) -> ApiCall[Discussion]:
    """A discussion with the posts that follow the number ``after``."""
    return ApiCall.get(_path(package, discussion), Discussion.read, after=after, limit=limit)


def open_discussion(package: str, body: DiscussionCreate) -> ApiCall[Discussion]:
    """Begin a discussion. The hub begins it once, however often the same is sent."""
    return ApiCall.send("POST", _path(package), Discussion.read, body)


def reply(package: str, discussion: str, body: PostWrite) -> ApiCall[Post]:
    """Add a post."""
    return ApiCall.send("POST", f"{_path(package, discussion)}/posts", Post.read, body)


def edit_post(package: str, discussion: str, number: int, body: PostWrite) -> ApiCall[Post]:
    """Change one's own post."""
    return ApiCall.send("PUT", f"{_path(package, discussion)}/posts/{number}", Post.read, body)


def delete_post(package: str, discussion: str, number: int) -> ApiCall[None]:
    """Delete one's own post."""
    return ApiCall.send("DELETE", f"{_path(package, discussion)}/posts/{number}", nothing)


def set_hidden(package: str, discussion: str, number: int, reason: str, *, is_hidden: bool) -> ApiCall[Post]:
    """Show a post to moderators alone, or to everybody again. The first post: the whole discussion."""
    path = f"{_path(package, discussion)}/posts/{number}/{'hide' if is_hidden else 'show'}"
    return ApiCall.send("POST", path, Post.read, StateChange(reason=reason))


def set_followed(package: str, discussion: str, *, is_followed: bool) -> ApiCall[None]:
    """Be mailed replies in a discussion, or no more."""
    return ApiCall.send("PUT" if is_followed else "DELETE", f"{_path(package, discussion)}/follow", nothing)


def set_open(package: str, discussion: str, reason: str, *, is_open: bool) -> ApiCall[DiscussionSummary]:
    """Close a discussion, or open it again."""
    act = "reopen" if is_open else "close"
    path = f"{_path(package, discussion)}/{act}"
    return ApiCall.send("POST", path, DiscussionSummary.read, StateChange(reason=reason))


def _path(package: str, discussion: str = "") -> str:
    owner, name = split_package_id(package)
    return f"/packages/{owner}/{name}/discussions" + (f"/{quote(discussion, safe='')}" if discussion else "")
