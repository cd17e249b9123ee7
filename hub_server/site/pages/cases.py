"""The counter-examples of a package, reports of a suite's labels, and disputes about both."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.audits import actions
from hub_server.audits.errors import InvalidCaseError
from hub_server.discussions import actions as discussions
from hub_server.execution import actions as execution
from hub_server.moderation import actions as moderation
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt, ReleaseAt
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.proof import ProvenTransaction
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.evidence.counter_examples import CaseState, CounterExample, Ruling

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/releases/{version}/cases")
def cases_page(
    request: Request,
    work: ReadTransaction,
    at: ReleaseAt,
    cursor: str | None = None,
    submitted: str = "",
    state: str = "",
) -> HTMLResponse:
    """Counter-examples of a package, newest first; a state that there is not filters nothing."""
    head = head_of(work, at, "Audit")
    state = state if state in set(CaseState) else ""
    page = actions.list_cases(work, head.detail.card.id, state=state or None, cursor=cursor)
    url = f"{head.release_url}/cases"
    chosen = {"state": state} if state else {}
    return render(
        request,
        work,
        "cases.html",
        **{**head.context(), "title": f"Counter-examples of {head.detail.card.id}"},
        json_url=f"{API}{head.base}/cases",
        cases=page,
        rewards=execution.declared_rewards(work, head.detail.card.id, head.release.version),
        discussed=discussions.count_by_case(work, [case.id for case in page.items]),
        submitted=submitted,
        state=state,
        counts=actions.count_cases(work, head.detail.card.id),
        next_url=f"{url}?{urlencode({**chosen, 'cursor': page.next})}" if page.next else None,
    )


@router.post("/packages/{owner}/{name}/cases/report")
def report_label(
    work: WriteTransaction,
    at: PackageAt,
    case: Annotated[str, Form(max_length=200)],
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Say that a case of a suite has the wrong label. A whole name from a list of failures is understood too."""
    return _back_to(actions.report_label(work, at.package, case.strip().removeprefix(f"{at.package}:"), reason))


@router.post("/packages/{owner}/{name}/cases/{case_id}/dispute")
def dispute(work: WriteTransaction, at: PackageAt, case_id: str, reason: Annotated[str, Form()] = "") -> Response:
    """Say that a case's label is wrong."""
    if not reason.strip():
        raise InvalidCaseError("Say why the label is wrong: a moderator reads your reason and decides.")
    case = actions.dispute_case(work, at.package, case_id, reason.strip())
    return _back_to(case)


@router.post("/packages/{owner}/{name}/cases/{case_id}/second")
def second(work: WriteTransaction, at: PackageAt, case_id: str) -> Response:
    """Say that a case's label is right."""
    return _back_to(actions.second_case(work, at.package, case_id))


@router.post("/packages/{owner}/{name}/cases/{case_id}/settle")
def settle(
    work: ProvenTransaction,
    at: PackageAt,
    case_id: str,
    ruling: Annotated[Literal["upheld", "relabelled", "withdrawn"], Form()],
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """End a dispute."""
    return _back_to(moderation.settle_case(work, at.package, case_id, Ruling(ruling=ruling, reason=reason.strip())))


def _back_to(case: CounterExample) -> Response:
    return RedirectResponse(f"/packages/{case.package}/releases/{case.against}/cases#{case.id}", status_code=303)
