"""The list of runs."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from hub_server.runs import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction
from schemas.run import RunFilter, RunSort, RunState

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class FilterForm:
    """The fields above the list, as they were typed."""

    owner: str = ""
    package: str = ""
    model: str = ""
    kind: str = ""
    state: str = ""
    sort: str = ""


@router.get("/runs")
def runs_page(
    request: Request, work: ReadTransaction, form: Annotated[FilterForm, Depends()], cursor: str | None = None
) -> HTMLResponse:
    """Runs in an order. A field that is left empty, and a state or an order that there is not, change nothing."""
    asked = {name: value.strip() for name, value in asdict(form).items() if value.strip()}
    if asked.get("state") not in set(RunState):
        asked.pop("state", None)
    if asked.get("sort") not in set(RunSort):
        asked.pop("sort", None)
    sort = RunSort(asked.get("sort", RunSort.NEWEST))
    wanted = {name: value for name, value in asked.items() if name != "sort"}
    page = actions.list_runs(work, RunFilter(**cast("Any", wanted)), sort=sort, cursor=cursor)
    return render(
        request,
        work,
        "runs.html",
        title="Runs",
        section="Runs",
        json_url=f"{API}/runs" + (f"?{urlencode(asked)}" if asked else ""),
        runs=page.items,
        asked=asked,
        states=list(RunState),
        by_reward=sort is RunSort.REWARD,
        next_url=f"/runs?{urlencode({**asked, 'cursor': page.next})}" if page.next else None,
    )
