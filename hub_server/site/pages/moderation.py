"""Moderation: reports for moderators, the log for everybody, and what moderators do."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from collections.abc import Callable, Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import require_moderator
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt, ReleaseAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form
from hub_server.site.sections.proof import ProvenTransaction, ProvenTransactionsDep
from hub_server.web.dependencies import ReadTransaction
from schemas.moderation import ModerationAction, NameBlock, Report, ReportDecision, Suspension

router = APIRouter(include_in_schema=False)
ACTS = {
    "quarantine_package": "Quarantine a package",
    "release_package": "End the quarantine of a package",
    "suspend": "Suspend an account",
    "unsuspend": "End a suspension",
    "hide_profile": "Hide what an owner says of itself",
    "show_profile": "Show again what an owner says of itself",
    "block_name": "Block a name",
    "unblock_name": "Undo the block of a name",
    "take_down": "Take a package down for good",
}
"""What the form on the page can do, in its words."""
ACT_WORDS: dict[ModerationAction, str] = {
    "quarantine": "quarantined",
    "release": "ended a quarantine",
    "quarantine_package": "quarantined the package",
    "release_package": "ended the package\N{RIGHT SINGLE QUOTATION MARK}s quarantine",
    "take_down": "took down",
    "decide": "decided",
    "hide_case": "hid a counter-example",
    "show_case": "showed a counter-example again",
    "settle_case": "settled a counter-example",
    "hide_post": "hid a post",
    "show_post": "showed a post again",
    "close_discussion": "closed a discussion",
    "reopen_discussion": "opened a discussion again",
    "hide_collection": "hid the collection",
    "show_collection": "showed the collection again",
    "hide_profile": "hid what it says of itself",
    "show_profile": "showed again what it says of itself",
    "suspend": "suspended",
    "unsuspend": "ended a suspension",
    "reset_second_factor": "switched off the second factor",
    "block_name": "blocked the name",
    "unblock_name": "unblocked the name",
    "make_moderator": "made a moderator",
    "remove_moderator": "removed a moderator",
}
"""The log's words for each act."""
_SIMPLE_ACTS: dict[str, Callable[[UnitOfWork, str, str], object]] = {
    "quarantine_package": actions.quarantine_package,
    "release_package": actions.unquarantine_package,
    "unsuspend": actions.unsuspend_account,
    "hide_profile": actions.hide_profile,
    "show_profile": actions.show_profile,
    "unblock_name": actions.unblock_name,
    "take_down": actions.take_down_package,
}


class ActForm(BaseModel):
    """What a moderator asked for."""

    model_config = ConfigDict(frozen=True)

    act: str = ""
    target: str = Field(default="", max_length=300)
    reason: str = Field(default="", max_length=2000)
    hide: bool = False


@router.get("/moderation")
def moderation_page(
    request: Request, work: ReadTransaction, state: str = "open", cursor: str = "", target: str = ""
) -> HTMLResponse:
    """Reports for moderators, and the log for everybody."""
    return _show_moderation(request, work, ActForm(target=target[:300]), state=state, cursor=cursor)


def _show_moderation(
    request: Request,
    work: UnitOfWork,
    form: ActForm,
    *,
    state: str = "open",
    cursor: str = "",
    refusal: FormRefusal = NOT_SENT,
) -> HTMLResponse:
    is_moderator = work.caller is not None and work.caller.is_moderator
    reports = actions.list_reports(work, state=state, cursor=cursor or None) if is_moderator else None
    events = actions.list_events(work, limit=30)
    more = {"state": state, "cursor": reports.next} if reports and reports.next else None
    return render(
        request,
        work,
        "moderation.html",
        status=refusal.status,
        title="Moderation",
        json_url=f"{API}/moderation/events",
        reports=reports,
        owners=_owners(work, reports.items) if reports else {},
        state=state,
        states=actions.STATES,
        events=events.items,
        next_url=f"/moderation?{urlencode(more)}" if more else None,
        suspended=actions.list_suspended(work) if is_moderator else [],
        blocked=actions.list_blocked(work) if is_moderator else [],
        acts=ACTS,
        act_words=ACT_WORDS,
        form=form,
        appeals=work.services.settings.appeals_contact,
        problem=refusal.problem,
        is_proven=work.caller is not None and work.caller.is_proven,
    )


def _owners(work: UnitOfWork, reports: Sequence[Report]) -> dict[str, str]:
    """What a report is about -> who that is, or who has it."""
    packages = catalog.owners_of(work, sorted({one.package for one in reports if one.package}))
    others = {one.collection or one.account: one.account or one.collection.partition("/")[0] for one in reports}
    return others | packages


@router.post("/moderation/acts")
def act(request: Request, transactions: ProvenTransactionsDep, form: Annotated[ActForm, Form()]) -> Response:
    """Stop an account, a package or a name, or let it go on."""
    with transactions.reading() as work:
        require_moderator(work.caller)

    def do() -> Response:
        with transactions.writing() as work:
            _do(work, form)
        return RedirectResponse("/moderation", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_moderation(request, work, form, refusal=refusal)

    return send_form(do, show)


def _do(work: UnitOfWork, form: ActForm) -> None:
    named, words = form.target.strip(), form.reason.strip()
    if form.act not in ACTS:
        raise InvalidRequestError(f"{form.act!r} is unknown: use one of {', '.join(ACTS)}.")
    if not words:
        raise InvalidRequestError("This needs a reason that readers of the log can understand.")
    if form.act == "suspend":
        actions.suspend_account(work, named, Suspension(reason=words, hide_content=form.hide))
    elif form.act == "block_name":
        try:
            actions.block_name(work, NameBlock(name=named, reason=words))
        except ValidationError:
            raise InvalidRequestError(f"{named!r} is neither owner nor owner/name.") from None
    else:
        _SIMPLE_ACTS[form.act](work, named, words)


@router.post("/moderation/reports/{report_id}/decision")
def decide_report(
    work: ProvenTransaction, report_id: str, state: Annotated[str, Form()], decision: Annotated[str, Form()] = ""
) -> Response:
    """End a report in words that its sender reads."""
    body = ReportDecision(
        state="acted" if state == "acted" else "dismissed", decision=decision.strip() or "No reason given."
    )
    actions.decide_report(work, report_id, body)
    return RedirectResponse("/moderation", status_code=303)


@router.post("/packages/{owner}/{name}/releases/{version}/quarantine")
def quarantine(
    work: ProvenTransaction, at: ReleaseAt, reason: Annotated[str, Form()] = "", act: Annotated[str, Form()] = "begin"
) -> Response:
    """Begin or end a quarantine."""
    change = actions.release_from_quarantine if act == "end" else actions.quarantine_release
    release = change(work, at.package, at.version, reason.strip())
    return RedirectResponse(f"/packages/{at.package}/releases/{release.version}", status_code=303)


@router.post("/packages/{owner}/{name}/cases/{case_id}/hide")
def hide_case(
    work: ProvenTransaction,
    at: PackageAt,
    case_id: str,
    reason: Annotated[str, Form(max_length=2000)] = "",
    act: Annotated[str, Form()] = "begin",
) -> Response:
    """Hide a counter-example, or show it again."""
    change = actions.show_case if act == "end" else actions.hide_case
    case = change(work, at.package, case_id, reason.strip())
    return RedirectResponse(f"/packages/{case.package}/releases/{case.against}/cases#{case.id}", status_code=303)
