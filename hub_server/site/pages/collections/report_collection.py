"""The form that reports a collection to the moderators."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from hub_server.collections import actions as collections
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAddress, PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal
from hub_server.site.sections.report_form import ReportForm, read_report, report_context, send_report_form
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from schemas.moderation import CollectionReportCreate, ReportReason

router = APIRouter(include_in_schema=False)

REASONS = {
    ReportReason.SPAM: "it advertises something, or is no list of packages (spam)",
    ReportReason.DISHONEST: "it says what is not true of its packages",
    ReportReason.MALWARE: "it leads to code that does harm",
    ReportReason.LICENCE: "its text breaks a licence",
    ReportReason.OTHER: "something else",
}


@router.get("/collections/{owner}/{name}/report")
def report_collection_page(request: Request, work: ReadTransaction, at: PackageAt) -> HTMLResponse:
    """The empty form."""
    return _show_form(request, at, work, ReportForm())


@router.post("/collections/{owner}/{name}/report")
def send_collection_report(
    request: Request, transactions: TransactionsDep, at: PackageAt, form: Annotated[ReportForm, Form()]
) -> Response:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    return send_report_form(
        transactions,
        form,
        lambda: read_report(CollectionReportCreate, form),
        lambda work, body: actions.report_collection(work, at.owner, at.name, body),
        partial(_show_form, request, at),
    )


def _show_form(
    request: Request,
    at: PackageAddress,
    work: UnitOfWork,
    form: ReportForm,
    *,
    refusal: FormRefusal = NOT_SENT,
    sent: str = "",
) -> HTMLResponse:
    collection = collections.get_collection(work, at.owner, at.name)
    context = {
        "title": f"Report {collection.id}",
        "json_url": f"{API}/collections/{collection.id}",
        "collection": collection,
        **report_context(form, REASONS, refusal=refusal, sent=sent),
    }
    return render(request, work, "collections/report_collection.html", status=refusal.status, **context)
