"""The list of runs."""

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.runs import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)


@router.get("/runs")
def runs_page(
    request: Request, work: ReadTransaction, owner: str = "", package: str = "", cursor: str | None = None
) -> HTMLResponse:
    """Runs, newest first."""
    page = actions.list_runs(work, owner=owner or None, package=package or None, cursor=cursor)
    asked = {key: value for key, value in (("owner", owner), ("package", package)) if value}
    return render(
        request,
        work,
        "runs.html",
        title="Runs",
        section="Runs",
        json_url=f"{API}/runs" + (f"?{urlencode(asked)}" if asked else ""),
        runs=page.items,
        owner=owner,
        package=package,
        next_url=f"/runs?{urlencode({**asked, 'cursor': page.next})}" if page.next else None,
    )
