"""The forms in which people write in discussions. A refusal comes back with everything that was typed."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict

from hub_server.discussions import actions
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.discussions.discussion_page import show_discussion
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import PackageAddress, PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, TypedText, read_fields, send_form
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from schemas.discussions import DiscussionCreate, PostWrite

router = APIRouter(include_in_schema=False)
_ALL = "/packages/{owner}/{name}/discussions"


class DiscussionForm(BaseModel):
    """What somebody typed. ``title`` is left out where the post has none."""

    model_config = ConfigDict(frozen=True)

    title: str = ""
    text: TypedText = ""
    case: str = ""


@router.get(_ALL + "/new")
def new_discussion_page(request: Request, work: ReadTransaction, at: PackageAt, case: str = "") -> HTMLResponse:
    """The empty form."""
    return _show_form(request, work, at, DiscussionForm(case=case.strip()[:64]), action=_url(at))


@router.post(_ALL)
def open_discussion_page(
    request: Request, transactions: TransactionsDep, at: PackageAt, form: Annotated[DiscussionForm, Form()]
) -> Response:
    """Begin a discussion."""

    def begin() -> Response:
        fields = {"title": form.title, "text": form.text, "case": form.case or None}
        body = read_fields(DiscussionCreate, fields)
        with transactions.writing() as work:
            made = actions.open_discussion(work, at.package, body)
        return RedirectResponse(f"{_url(at)}/{made.id}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_form(request, work, at, form, action=_url(at), refusal=refusal)

    return send_form(begin, show)


@router.post(_ALL + "/{discussion_id}/posts")
def reply_page(
    request: Request,
    transactions: TransactionsDep,
    at: PackageAt,
    discussion_id: str,
    form: Annotated[DiscussionForm, Form()],
) -> Response:
    """Reply, and go to the reply."""

    def reply() -> Response:
        body = read_fields(PostWrite, {"text": form.text})
        with transactions.writing() as work:
            number = actions.reply(work, at.package, discussion_id, body).number
        return RedirectResponse(f"{_url(at)}/{discussion_id}?after={number - 2}#p{number}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return show_discussion(request, work, at, discussion_id, refusal=refusal, typed=form.text)

    return send_form(reply, show)


@router.get(_ALL + "/{discussion_id}/posts/{number}/edit")
def edit_post_page(
    request: Request, work: ReadTransaction, at: PackageAt, discussion_id: str, number: int
) -> HTMLResponse:
    """The form with the post as it is."""
    require_caller(work.caller)
    post = actions.get_post(work, at.package, discussion_id, number)
    found = actions.get_discussion(work, at.package, discussion_id, limit=1)
    form = DiscussionForm(title=found.title if number == 1 else "", text=post.text)
    return _show_form(request, work, at, form, action=f"{_url(at)}/{discussion_id}/posts/{number}", number=number)


@router.post(_ALL + "/{discussion_id}/posts/{number}")
def write_post_page(
    request: Request,
    transactions: TransactionsDep,
    at: PackageAt,
    discussion_id: str,
    number: int,
    form: Annotated[DiscussionForm, Form()],
) -> Response:
    """Save a post that was changed."""

    def write() -> Response:
        body = read_fields(PostWrite, {"text": form.text, "title": form.title if number == 1 else None})
        with transactions.writing() as work:
            actions.edit_post(work, at.package, discussion_id, number, body)
        return RedirectResponse(f"{_url(at)}/{discussion_id}?after={max(0, number - 1)}#p{number}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        action = f"{_url(at)}/{discussion_id}/posts/{number}"
        with transactions.reading() as work:
            return _show_form(request, work, at, form, action=action, number=number, refusal=refusal)

    return send_form(write, show)


def _url(at: PackageAddress) -> str:
    return f"/packages/{at.package}/discussions"


def _show_form(
    request: Request,
    work: UnitOfWork,
    at: PackageAddress,
    form: DiscussionForm,
    *,
    action: str,
    number: int = 0,
    refusal: FormRefusal = NOT_SENT,
) -> HTMLResponse:
    """``number`` of the post that is changed; 0: the discussion is new."""
    head = head_of(work, at, "Discussions")
    heading = f"Edit post {number}" if number else "Begin a discussion"
    return render(
        request,
        work,
        "discussions/discussion_form.html",
        status=refusal.status,
        **{**head.context(), "title": f"{heading}: {head.detail.card.id}"},
        heading=heading,
        form=form,
        action=action,
        has_title=number in (0, 1),
        is_new=not number,
        refusal=refusal,
    )
