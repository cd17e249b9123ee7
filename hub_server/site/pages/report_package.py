"""The form that reports a package to the moderators."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.errors import HubServerError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.moderation import ReportCreate, ReportReason

router = APIRouter(include_in_schema=False)

REASONS = (
    (ReportReason.MALWARE.value, "its code does harm"),
    (ReportReason.DISHONEST.value, "its labels or rates are made to deceive"),
    (ReportReason.LICENCE.value, "it breaks a licence"),
    (ReportReason.SPAM.value, "it is not a package that does anything (spam)"),
    (ReportReason.OTHER.value, "something else"),
)


class ReportForm(BaseModel):
    """What somebody typed to report a package."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    text: str = ""
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
    form = ReportForm(version=version, discussion=discussion, post=post)
    return _show_form(request, work, head_of(work, at, ""), form)


@router.post("/packages/{owner}/{name}/report")
def send_report(
    request: Request, work: WriteTransaction, at: PackageAt, form: Annotated[ReportForm, Form()]
) -> HTMLResponse:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    head = head_of(work, at, "")
    try:
        body = ReportCreate(
            reason=ReportReason(form.reason),
            text=form.text.strip(),
            version=form.version or None,
            discussion=form.discussion or None,
            post=form.post,
        )
    except (ValidationError, ValueError):
        errors = {
            "reason": "" if form.reason in set(ReportReason) else "Say what is wrong.",
            "text": "" if form.text.strip() else "Say what you saw, so that others can see it too.",
        }
        return _show_form(request, work, head, form, errors=errors, status=422)
    try:
        sent = actions.report_package(work, at.package, body)
    except HubServerError as error:
        return _show_form(request, work, head, form, problem=error.detail, status=error.status)
    return _show_form(request, work, head, ReportForm(), sent=sent.id)


def _show_form(
    request: Request, work: UnitOfWork, head: PackageHead, form: ReportForm, *, status: int = 200, **more: Any
) -> HTMLResponse:
    context = {
        **head.context(),
        "title": f"Report {head.detail.card.id}",
        "json_url": f"{API}{head.base}",
        "reasons": REASONS,
        "form": form,
        "errors": {},
        "problem": "",
        "sent": "",
        **more,
    }
    return render(request, work, "report_package.html", status=status, **context)
