"""Two verifiers side by side: choose them, compare them, and read the cases on which they disagree."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.errors import HubServerError
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.comparison import ComparisonRecord, ComparisonRequest
from schemas.manifest import RewardDeclaration
from schemas.names import split_release
from schemas.package import PackageSort

router = APIRouter(include_in_schema=False)
FIRST_DISAGREEMENTS = 25
SUGGESTED = 40


@router.get("/compare")
def compare_page(
    request: Request,
    work: ReadTransaction,
    left: str = "",
    right: str = "",
    all: str = "",  # noqa: A002 -- the address's word
) -> HTMLResponse:
    """The form, and what is known of the two that it names."""
    left, right = left.strip()[:300], right.strip()[:300]
    record, problem = _known(work, left, right)
    result = record.result if record is not None else None
    parted = result.disagreements if result is not None else []
    return render(
        request,
        work,
        "compare.html",
        title=f"{left} and {right}" if left and right else "Compare two verifiers",
        section="Packages",
        json_url=f"{API}/comparisons?{urlencode({'left': left, 'right': right})}" if record is not None else None,
        left=left,
        right=right,
        record=record,
        result=result,
        problem=problem,
        declared=_declared(work, record),
        parted=parted if all else parted[:FIRST_DISAGREEMENTS],
        all_url=f"/compare?{urlencode({'left': left, 'right': right, 'all': '1'})}#parted",
        suggestions=[] if left and right else _suggestions(work),
        newest=[] if left and right else actions.newest_comparisons(work),
    )


@router.post("/compare")
def compare(
    work: WriteTransaction,
    left: Annotated[str, Form(max_length=300)],
    right: Annotated[str, Form(max_length=300)],
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Ask for a comparison."""
    record = actions.request_comparison(work, ComparisonRequest(left=left, right=right, again=again))
    return RedirectResponse(f"/compare?{urlencode({'left': record.left, 'right': record.right})}", status_code=303)


def _known(work: UnitOfWork, left: str, right: str) -> tuple[ComparisonRecord | None, str]:
    """(the newest comparison, why there can be none)."""
    if not (left and right):
        return None, ""
    try:
        return actions.find_comparison(work, left, right), ""
    except HubServerError as error:
        return None, error.detail


def _declared(work: UnitOfWork, record: ComparisonRecord | None) -> tuple[dict[str, RewardDeclaration], ...]:
    """The declared vectors of both sides."""
    if record is None:
        return {}, {}
    sides = (split_release(side) for side in (record.left, record.right))
    return tuple(execution.declared_rewards(work, package, version) for package, version in sides)


def _suggestions(work: UnitOfWork) -> list[str]:
    """Packages that judge, for the form's list."""
    page = catalog.search_packages(work, SearchRequest(sort=PackageSort.NAME, limit=SUGGESTED))
    return [card.id for card in page.items if card.rewards]
