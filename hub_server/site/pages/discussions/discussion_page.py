"""One discussion: its posts in order, and what the reader may do with it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from hub_server.discussions import actions
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions as moderation
from hub_server.site.rendering.markdown import MOST_README_CHARACTERS, affordable, as_typed, render_post
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAddress, PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.proof import ProvenTransaction
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.discussions import Post

router = APIRouter(include_in_schema=False)
_ONE = "/packages/{owner}/{name}/discussions/{discussion_id}"
_MOST_POSTS = 30


@router.get(_ONE)
def discussion_page(
    request: Request,
    work: ReadTransaction,
    at: PackageAt,
    discussion_id: str,
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> HTMLResponse:
    """One page of its posts."""
    return show_discussion(request, work, at, discussion_id, after=after)


def show_discussion(
    request: Request,
    work: UnitOfWork,
    at: PackageAddress,
    discussion_id: str,
    *,
    after: int = 0,
    refusal: FormRefusal = NOT_SENT,
    typed: str = "",
) -> HTMLResponse:
    """The page; after a reply that was refused (``refusal``), with what was ``typed``."""
    head = head_of(work, at, "Discussions")
    found = actions.get_discussion(work, head.detail.card.id, discussion_id, after=after, limit=_MOST_POSTS)
    posts = _that_fit(found.posts)
    is_cut = len(posts) < len(found.posts) or found.next is not None
    url = f"{head.base}/discussions/{found.id}"
    me = work.caller
    return render(
        request,
        work,
        "discussions/discussion.html",
        status=refusal.status,
        **{**head.context(), "title": found.title or "A deleted discussion", "description": ""},
        json_url=f"{API}{url}",
        discussion=found,
        posts=_shown(posts),
        url=url,
        after=after,
        next_url=f"{url}?after={posts[-1].number}" if is_cut else None,
        is_following=actions.is_following(work, found.id),
        may_close=me is not None and (me.name == found.author or me.maintains(head.detail.owner) or me.is_moderator),
        refusal=refusal,
        typed=typed,
    )


def _shown(posts: Sequence[Post]) -> list[tuple[Post, Markup]]:
    """Each post with its text as markup; those that would cost too much, as they were typed."""
    formatted = affordable([post.text for post in posts])
    return [
        (post, render_post(post.text) if is_formatted else as_typed(post.text))
        for post, is_formatted in zip(posts, formatted, strict=True)
    ]


def _that_fit(posts: Sequence[Post]) -> list[Post]:
    """The first posts, whose texts together are no longer than a README may be: what a page renders is bounded."""
    fitting, left = list(posts[:1]), MOST_README_CHARACTERS - sum(len(post.text) for post in posts[:1])
    for post in posts[1:]:
        left -= len(post.text)
        if left < 0:
            break
        fitting.append(post)
    return fitting


@router.post(_ONE + "/state")
def change_state(
    work: ProvenTransaction,
    at: PackageAt,
    discussion_id: str,
    act: Annotated[str, Form()] = "",
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Close it, or open it again."""
    if act not in ("close", "reopen"):
        raise InvalidRequestError("Say close or reopen.")
    change = moderation.close_discussion if act == "close" else moderation.reopen_discussion
    change(work, at.package, discussion_id, reason)
    return _back(at, discussion_id)


@router.post(_ONE + "/follow")
def change_following(
    work: WriteTransaction, at: PackageAt, discussion_id: str, act: Annotated[str, Form()] = ""
) -> Response:
    """Be mailed replies, or no more."""
    if act not in ("begin", "end"):
        raise InvalidRequestError("Say begin or end.")
    (actions.follow if act == "begin" else actions.unfollow)(work, at.package, discussion_id)
    return _back(at, discussion_id)


@router.post(_ONE + "/posts/{number}/delete")
def delete_post(
    work: WriteTransaction, at: PackageAt, discussion_id: str, number: int, sure: Annotated[str, Form()] = ""
) -> Response:
    """Delete one's own post, once the box beside the button is ticked."""
    if not sure:
        raise InvalidRequestError("Tick the box that says that you are sure.")
    actions.delete_post(work, at.package, discussion_id, number)
    return _back(at, discussion_id)


@router.post(_ONE + "/posts/{number}/hide")
def hide_post(
    work: ProvenTransaction,
    at: PackageAt,
    discussion_id: str,
    number: int,
    reason: Annotated[str, Form(max_length=2000)] = "",
    act: Annotated[str, Form()] = "begin",
) -> Response:
    """Hide a post, or show it again."""
    change = moderation.show_post if act == "end" else moderation.hide_post
    change(work, at.package, discussion_id, number, reason)
    return _back(at, discussion_id)


def _back(at: PackageAddress, discussion_id: str) -> Response:
    return RedirectResponse(f"/packages/{at.package}/discussions/{discussion_id}", status_code=303)
