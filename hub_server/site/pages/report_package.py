"""The form that reports a package to the moderators."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAddress, PackageAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.report_form import ReportForm, read_report, report_context, send_report_form
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from schemas.moderation import ReportCreate, ReportReason

router = APIRouter(include_in_schema=False)

REASONS = {
    ReportReason.MALWARE: "its code does harm",
    ReportReason.DISHONEST: "its labels or rates are made to deceive",
    ReportReason.LICENCE: "it breaks a licence",
    ReportReason.SPAM: "it is not a package that does anything (spam)",
    ReportReason.OTHER: "something else",
}


class PackageReportForm(ReportForm):
    """What somebody typed to report a package; the page filled in which release or post it is about."""

    version: str = ""
    discussion: str = ""
    post: int | None = None


@router.get("/packages/{owner}/{name}/report")
def report_page(
    request: Request,
    work: ReadTransaction,
    at: PackageAt,
    version: str = "",
    discussion: str = "",
    post: Annotated[int | None, Query(ge=1, lt=2**31)] = None,
) -> HTMLResponse:
    """The empty form."""
    return _show_form(request, at, work, PackageReportForm(version=version, discussion=discussion, post=post))


@router.post("/packages/{owner}/{name}/report")
def send_report(
    request: Request, transactions: TransactionsDep, at: PackageAt, form: Annotated[PackageReportForm, Form()]
) -> Response:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    about = {"version": form.version or None, "discussion": form.discussion or None, "post": form.post}
    return send_report_form(
        transactions,
        form,
        lambda: read_report(ReportCreate, form, **about),
        lambda work, body: actions.report_package(work, at.package, body),
        partial(_show_form, request, at),
    )


def _show_form(
    request: Request,
    at: PackageAddress,
    work: UnitOfWork,
    form: PackageReportForm,
    *,
    refusal: FormRefusal = NOT_SENT,
    sent: str = "",
) -> HTMLResponse:
    head = head_of(work, at, "")
    context = {
        **head.context(),
        "title": f"Report {head.detail.card.id}",
        "json_url": f"{API}{head.base}",
        **report_context(form, REASONS, refusal=refusal, sent=sent),
    }
    return render(request, work, "report_package.html", status=refusal.status, **context)
