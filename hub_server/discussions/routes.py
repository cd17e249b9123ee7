"""Discussions over HTTP. Closing and hiding are in ``moderation.routes``: what moderators do is written down there."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from hub_server.discussions import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.discussions import Discussion, DiscussionCreate, DiscussionSummary, Post, PostWrite
from schemas.page import Page

router = APIRouter(prefix="/api/v1/packages/{owner}/{name}/discussions", tags=["discussions"], responses=PROBLEMS)
Number = Annotated[int, Path(ge=1, lt=2**31)]


@router.get("", summary="Discussions of a package, the one with the newest post first")
def list_discussions(  # noqa: PLR0917 -- one parameter a filter
    owner: str,
    name: str,
    work: ReadTransaction,
    case: Annotated[str | None, Query(description="Only those about this counter-example.")] = None,
    state: Annotated[str | None, Query(description="`open` or `closed`.")] = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[DiscussionSummary]:
    return actions.list_discussions(work, f"{owner}/{name}", case=case, state=state, cursor=cursor, limit=limit)


@router.post("", status_code=201, summary="Begin a discussion on a package or on one of its counter-examples")
def open_discussion(owner: str, name: str, body: DiscussionCreate, work: WriteTransaction) -> Discussion:
    return actions.open_discussion(work, f"{owner}/{name}", body)


@router.get("/{discussion_id}", summary="A discussion with its posts")
def read_discussion(
    owner: str,
    name: str,
    discussion_id: str,
    work: ReadTransaction,
    after: Annotated[int, Query(ge=0, lt=2**31, description="Posts that follow this number.")] = 0,
    limit: int = 30,
) -> Discussion:
    return actions.get_discussion(work, f"{owner}/{name}", discussion_id, after=after, limit=limit)


@router.post("/{discussion_id}/posts", status_code=201, summary="Reply in a discussion")
def reply(owner: str, name: str, discussion_id: str, body: PostWrite, work: WriteTransaction) -> Post:
    return actions.reply(work, f"{owner}/{name}", discussion_id, body)


@router.put("/{discussion_id}/posts/{number}", summary="Change my own post")
def edit_post(
    owner: str, name: str, discussion_id: str, number: Number, body: PostWrite, work: WriteTransaction
) -> Post:
    return actions.edit_post(work, f"{owner}/{name}", discussion_id, number, body)


@router.delete("/{discussion_id}/posts/{number}", status_code=204, summary="Delete my own post")
def delete_post(owner: str, name: str, discussion_id: str, number: Number, work: WriteTransaction) -> None:
    actions.delete_post(work, f"{owner}/{name}", discussion_id, number)


@router.put("/{discussion_id}/follow", status_code=204, summary="Be mailed replies in a discussion")
def follow(owner: str, name: str, discussion_id: str, work: WriteTransaction) -> None:
    actions.follow(work, f"{owner}/{name}", discussion_id)


@router.delete("/{discussion_id}/follow", status_code=204, summary="Be mailed them no more")
def unfollow(owner: str, name: str, discussion_id: str, work: WriteTransaction) -> None:
    actions.unfollow(work, f"{owner}/{name}", discussion_id)
