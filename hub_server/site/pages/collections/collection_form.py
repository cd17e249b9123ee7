"""The form that writes a collection, with what its owner and moderators can do besides."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.collections import actions
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions as moderation
from hub_server.site.pages.collections.entry_lines import entries_of, lines_of
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, TypedText, send_form, wrong_fields
from hub_server.site.sections.proof import ProvenTransaction
from hub_server.web.dependencies import ReadTransaction, TransactionsDep, WriteTransaction
from schemas.collections import CollectionWrite
from schemas.names import InvalidNameError
from schemas.package import Visibility

router = APIRouter(include_in_schema=False)


class CollectionForm(BaseModel):
    """What somebody typed. ``revision`` 0: the collection is new."""

    model_config = ConfigDict(frozen=True)

    id: str = ""
    title: str = ""
    text: TypedText = ""
    entries: str = ""
    is_private: bool = False
    revision: int = 0


@router.get("/collections/new")
def new_collection_page(request: Request, work: ReadTransaction, package: str = "") -> HTMLResponse:
    """The empty form, or with ``package`` in it."""
    owner = f"{work.caller.name}/" if work.caller is not None else ""
    return _show_form(request, work, CollectionForm(id=owner, entries=package.strip()[:300]))


@router.get("/collections/{owner}/{name}/edit")
def edit_collection_page(request: Request, work: ReadTransaction, at: PackageAt) -> HTMLResponse:
    """The form with the collection as it is."""
    require_caller(work.caller)
    found = actions.get_collection(work, at.owner, at.name)
    form = CollectionForm(
        id=found.id,
        title=found.title,
        text=found.text,
        entries=lines_of(found.entries),
        is_private=found.visibility is Visibility.PRIVATE,
        revision=found.revision,
    )
    return _show_form(request, work, form)


@router.post("/collections")
def write_collection_page(
    request: Request, transactions: TransactionsDep, form: Annotated[CollectionForm, Form()]
) -> Response:
    """Write it. A refusal comes back with everything that was typed."""

    def write() -> Response:
        body = _body_of(form)
        owner, _, name = form.id.strip().partition("/")
        with transactions.writing() as work:
            made = actions.write_collection(work, owner, name, body)
        return RedirectResponse(f"/collections/{made.id}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_form(request, work, form, refusal)

    return send_form(write, show)


@router.post("/collections/{owner}/{name}/delete")
def delete_collection_page(work: WriteTransaction, at: PackageAt, sure: Annotated[str, Form()] = "") -> Response:
    """Delete it, once the box beside the button is ticked."""
    if not sure:
        raise InvalidRequestError("Tick the box that says that you are sure.")
    actions.delete_collection(work, at.owner, at.name)
    return RedirectResponse(f"/collections?owner={at.owner}", status_code=303)


@router.post("/collections/{owner}/{name}/hide")
def hide_collection_page(
    work: ProvenTransaction,
    at: PackageAt,
    reason: Annotated[str, Form(max_length=2000)] = "",
    act: Annotated[str, Form()] = "begin",
) -> Response:
    """Hide a collection, or show it again."""
    change = moderation.show_collection if act == "end" else moderation.hide_collection
    change(work, at.owner, at.name, reason)
    return RedirectResponse(f"/collections/{at.package}", status_code=303)


def _body_of(form: CollectionForm) -> CollectionWrite:
    """The collection that was typed. Raises ``InvalidRequestError`` with the field that cannot be used."""
    try:
        return CollectionWrite(
            title=form.title,
            text=form.text,
            entries=entries_of(form.entries),
            visibility=Visibility.PRIVATE if form.is_private else Visibility.PUBLIC,
            revision=form.revision,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] and first["loc"][0] in ("title", "text") else "entries"
        raise wrong_fields({field: str(first["msg"]).removeprefix("Value error, ")}) from None
    except InvalidNameError as error:
        raise wrong_fields({"entries": str(error)}) from None


def _show_form(
    request: Request, work: UnitOfWork, form: CollectionForm, refusal: FormRefusal = NOT_SENT
) -> HTMLResponse:
    title = f"Edit {form.id}" if form.revision else "A new collection"
    return render(
        request,
        work,
        "collections/collection_form.html",
        status=refusal.status,
        title=title,
        form=form,
        errors=refusal.errors,
        problem=refusal.problem,
    )
