"""Pages of moderation: report a package, decide about reports, and the log that everybody may read."""

# ruff: noqa: FAST003 -- the address classes of catalog.addresses take the path's parts

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.catalog.addresses import PackageAt, ReleaseAt
from hub_server.catalog.pages import API, head_of
from hub_server.catalog.presenting import PackageHead
from hub_server.errors import HubServerError
from hub_server.moderation import actions
from hub_server.web.dependencies import ReadWork, WriteWork
from hub_server.web.rendering import render
from hub_server.work import Work
from schemas.moderation import ReportCreate, ReportDecision, ReportReason

router = APIRouter(include_in_schema=False)
REASONS = (
    (ReportReason.MALWARE.value, "its code does harm"),
    (ReportReason.DISHONEST.value, "its labels or rates are made to deceive"),
    (ReportReason.LICENCE.value, "it breaks a licence"),
    (ReportReason.SPAM.value, "it is no package at all"),
    (ReportReason.OTHER.value, "something else"),
)


class ReportForm(BaseModel):
    """What somebody typed to report a package."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    text: str = ""
    version: str = ""


@router.get("/packages/{owner}/{name}/report")
def report_page(request: Request, work: ReadWork, at: PackageAt, version: str = "") -> HTMLResponse:
    """The empty form."""
    return _show_form(request, work, head_of(work, at, ""), ReportForm(version=version))


@router.post("/packages/{owner}/{name}/report")
def send_report(request: Request, work: WriteWork, at: PackageAt, form: Annotated[ReportForm, Form()]) -> HTMLResponse:
    """Send a report to the moderators. A refusal comes back with everything that was typed."""
    head = head_of(work, at, "")
    try:
        wish = ReportCreate(reason=ReportReason(form.reason), text=form.text.strip(), version=form.version or None)
    except (ValidationError, ValueError):
        errors = {
            "reason": "" if form.reason in set(ReportReason) else "Say what is wrong.",
            "text": "" if form.text.strip() else "Say what you saw, so that others can see it too.",
        }
        return _show_form(request, work, head, form, errors=errors, status=422)
    try:
        sent = actions.report_package(work, at.package, wish)
    except HubServerError as error:
        return _show_form(request, work, head, form, problem=error.detail, status=error.status)
    return _show_form(request, work, head, ReportForm(), sent=sent.id)


def _show_form(
    request: Request, work: Work, head: PackageHead, form: ReportForm, *, status: int = 200, **more: Any
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
    return render(request, work, "moderation/report.html", status=status, **context)


@router.get("/moderation")
def moderation_page(request: Request, work: ReadWork, state: str = "open", cursor: str = "") -> HTMLResponse:
    """Reports for moderators, and the log for everybody."""
    is_moderator = work.caller is not None and work.caller.is_moderator
    reports = actions.list_reports(work, state=state, cursor=cursor or None) if is_moderator else None
    events = actions.list_events(work, limit=30)
    more = {"state": state, "cursor": reports.next} if reports and reports.next else None
    return render(
        request,
        work,
        "moderation/moderation.html",
        title="Moderation",
        json_url=f"{API}/moderation/events",
        reports=reports,
        state=state,
        states=actions.STATES,
        events=events.items,
        next_url=f"/moderation?{urlencode(more)}" if more else None,
    )


@router.post("/moderation/reports/{report_id}/decision")
def decide_report(
    work: WriteWork, report_id: str, state: Annotated[str, Form()], decision: Annotated[str, Form()] = ""
) -> Response:
    """End a report in words that its sender reads."""
    wish = ReportDecision(
        state="acted" if state == "acted" else "dismissed", decision=decision.strip() or "No reason given."
    )
    actions.decide_report(work, report_id, wish)
    return RedirectResponse("/moderation", status_code=303)


@router.post("/packages/{owner}/{name}/releases/{version}/quarantine")
def quarantine(
    work: WriteWork, at: ReleaseAt, reason: Annotated[str, Form()] = "", act: Annotated[str, Form()] = "begin"
) -> Response:
    """Begin or end a quarantine."""
    change = actions.release_from_quarantine if act == "end" else actions.quarantine_release
    release = change(work, at.package, at.version, reason.strip())
    return RedirectResponse(f"/packages/{at.package}/releases/{release.version}", status_code=303)
