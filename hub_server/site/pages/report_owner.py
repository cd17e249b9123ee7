"""The form that reports a person or an organisation to the moderators."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from hub_server.accounts import actions as accounts
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.forms import NOT_SENT, FormRefusal
from hub_server.site.sections.report_form import ReportForm, read_report, report_context, send_report_form
from hub_server.web.dependencies import ReadTransaction, TransactionsDep
from schemas.moderation import OwnerReportCreate, ReportReason

router = APIRouter(include_in_schema=False)

REASONS = {
    ReportReason.SPAM: "it advertises something, or floods the hub (spam)",
    ReportReason.DISHONEST: "it says that it is somebody else, or deceives in what it publishes",
    ReportReason.MALWARE: "it publishes code that does harm",
    ReportReason.LICENCE: "it publishes what is not its own",
    ReportReason.OTHER: "something else",
}


@router.get("/owners/{owner}/report")
def report_owner_page(request: Request, work: ReadTransaction, owner: str) -> HTMLResponse:
    """The empty form."""
    return _show_form(request, owner, work, ReportForm())


@router.post("/owners/{owner}/report")
def send_owner_report(
    request: Request, transactions: TransactionsDep, owner: str, form: Annotated[ReportForm, Form()]
) -> Response:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    return send_report_form(
        transactions,
        form,
        lambda: read_report(OwnerReportCreate, form),
        lambda work, body: actions.report_owner(work, owner, body),
        partial(_show_form, request, owner),
    )


def _show_form(
    request: Request,
    owner: str,
    work: UnitOfWork,
    form: ReportForm,
    *,
    refusal: FormRefusal = NOT_SENT,
    sent: str = "",
) -> HTMLResponse:
    profile = accounts.get_profile(work, owner)
    context = {
        "title": f"Report {profile.name}",
        "json_url": f"{API}/owners/{profile.name}",
        "profile": profile,
        **report_context(form, REASONS, refusal=refusal, sent=sent),
    }
    return render(request, work, "report_owner.html", status=refusal.status, **context)
