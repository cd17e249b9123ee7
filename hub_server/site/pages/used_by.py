"""The runs that used a package."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.runs import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction
from schemas.run import RunFilter

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/used-by")
def used_by_page(request: Request, work: ReadTransaction, at: PackageAt, cursor: str | None = None) -> HTMLResponse:
    """Runs that pinned a release of this package."""
    head = head_of(work, at, "Used by")
    page = actions.list_runs(work, RunFilter(package=head.detail.card.id), cursor=cursor)
    return render(
        request,
        work,
        "used_by.html",
        **head.context(),
        json_url=f"{API}/runs?{urlencode({'package': head.detail.card.id})}",
        runs=page.items,
        next_url=f"{head.base}/used-by?{urlencode({'cursor': page.next})}" if page.next else None,
    )
