"""The form that reports a collection to the moderators."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.collections import actions as collections
from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.collections import Collection
from schemas.moderation import CollectionReportCreate, ReportReason

router = APIRouter(include_in_schema=False)

REASONS = (
    (ReportReason.SPAM.value, "it advertises something, or is no list of packages (spam)"),
    (ReportReason.DISHONEST.value, "it says what is not true of its packages"),
    (ReportReason.MALWARE.value, "it leads to code that does harm"),
    (ReportReason.LICENCE.value, "its text breaks a licence"),
    (ReportReason.OTHER.value, "something else"),
)


class CollectionReportForm(BaseModel):
    """What somebody typed to report a collection."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    text: str = ""


@router.get("/collections/{owner}/{name}/report")
def report_collection_page(request: Request, work: ReadTransaction, at: PackageAt) -> HTMLResponse:
    """The empty form."""
    found = collections.get_collection(work, at.owner, at.name)
    return _show_form(request, work, found, CollectionReportForm())


@router.post("/collections/{owner}/{name}/report")
def send_collection_report(
    request: Request, work: WriteTransaction, at: PackageAt, form: Annotated[CollectionReportForm, Form()]
) -> HTMLResponse:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    found = collections.get_collection(work, at.owner, at.name)
    try:
        body = CollectionReportCreate(reason=ReportReason(form.reason), text=form.text.strip())
    except (ValidationError, ValueError):
        errors = {
            "reason": "" if form.reason in set(ReportReason) else "Say what is wrong.",
            "text": "" if form.text.strip() else "Say what you saw, so that others can see it too.",
        }
        return _show_form(request, work, found, form, errors=errors, status=422)
    try:
        sent = actions.report_collection(work, at.owner, at.name, body)
    except HubServerError as error:
        return _show_form(request, work, found, form, problem=error.detail, status=error.status)
    return _show_form(request, work, found, CollectionReportForm(), sent=sent.id)


def _show_form(
    request: Request,
    work: UnitOfWork,
    collection: Collection,
    form: CollectionReportForm,
    *,
    status: int = 200,
    **more: Any,
) -> HTMLResponse:
    context = {
        "title": f"Report {collection.id}",
        "json_url": f"{API}/collections/{collection.id}",
        "collection": collection,
        "reasons": REASONS,
        "form": form,
        "errors": {},
        "problem": "",
        "sent": "",
        **more,
    }
    return render(request, work, "collections/report_collection.html", status=status, **context)
