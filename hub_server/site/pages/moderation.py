"""Moderation: reports for moderators, the log for everybody, and what moderators do."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt, ReleaseAt
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.moderation import ReportDecision

router = APIRouter(include_in_schema=False)


@router.get("/moderation")
def moderation_page(request: Request, work: ReadTransaction, state: str = "open", cursor: str = "") -> HTMLResponse:
    """Reports for moderators, and the log for everybody."""
    is_moderator = work.caller is not None and work.caller.is_moderator
    reports = actions.list_reports(work, state=state, cursor=cursor or None) if is_moderator else None
    events = actions.list_events(work, limit=30)
    more = {"state": state, "cursor": reports.next} if reports and reports.next else None
    return render(
        request,
        work,
        "moderation.html",
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
    work: WriteTransaction, report_id: str, state: Annotated[str, Form()], decision: Annotated[str, Form()] = ""
) -> Response:
    """End a report in words that its sender reads."""
    body = ReportDecision(
        state="acted" if state == "acted" else "dismissed", decision=decision.strip() or "No reason given."
    )
    actions.decide_report(work, report_id, body)
    return RedirectResponse("/moderation", status_code=303)


@router.post("/packages/{owner}/{name}/releases/{version}/quarantine")
def quarantine(
    work: WriteTransaction, at: ReleaseAt, reason: Annotated[str, Form()] = "", act: Annotated[str, Form()] = "begin"
) -> Response:
    """Begin or end a quarantine."""
    change = actions.release_from_quarantine if act == "end" else actions.quarantine_release
    release = change(work, at.package, at.version, reason.strip())
    return RedirectResponse(f"/packages/{at.package}/releases/{release.version}", status_code=303)


@router.post("/packages/{owner}/{name}/cases/{case_id}/hide")
def hide_case(
    work: WriteTransaction,
    at: PackageAt,
    case_id: str,
    reason: Annotated[str, Form(max_length=2000)] = "",
    act: Annotated[str, Form()] = "begin",
) -> Response:
    """Hide a counter-example, or show it again."""
    change = actions.show_case if act == "end" else actions.hide_case
    case = change(work, at.package, case_id, reason.strip())
    return RedirectResponse(f"/packages/{case.package}/releases/{case.against}/cases#{case.id}", status_code=303)
