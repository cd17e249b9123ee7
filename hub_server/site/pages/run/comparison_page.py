"""Two to four runs side by side."""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from hub_server.runs import actions
from hub_server.runs.rules.comparison import MOST_RUNS
from hub_server.site.pages.run.comparison import RunComparison, compare_runs
from hub_server.site.rendering.templates import render
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)
MOST_NAMED = 20
"""So many are looked at before there are too many."""


@router.get("/runs/compare")
def comparison_page(
    request: Request, work: ReadTransaction, run: Annotated[list[str] | None, Query(max_length=MOST_NAMED)] = None
) -> HTMLResponse:
    """Runs by their ids or addresses. With fewer than two it asks for more; each must be one that the reader sees."""
    ids = list(dict.fromkeys(name for one in run or [] if (name := _id_of(one))))
    runs = [actions.get_run(work, one) for one in ids[:MOST_RUNS]]
    view = RunComparison()
    if len(runs) > 1:
        view = compare_runs(runs, [actions.get_metrics(work, one.id).items for one in runs])
    return render(
        request,
        work,
        "run/comparison_page.html",
        title="Compare runs",
        section="Runs",
        runs=runs,
        left_out=len(ids) - len(runs),
        most=MOST_RUNS,
        view=view,
        without=[_address([kept.id for kept in runs if kept.id != one.id]) for one in runs],
    )


def _address(ids: Sequence[str]) -> str:
    return "/runs/compare?" + urlencode([("run", one) for one in ids])


def _id_of(typed: str) -> str:
    """The id at the end of an address of a run's page; an id itself stays as it is."""
    return typed.strip().partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
