"""The releases of a package, with their rates on one axis."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.catalog import actions as catalog
from hub_server.site.rendering.markdown import render_notes
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)
_SHOWN = 30


@router.get("/packages/{owner}/{name}/releases")
def releases_page(request: Request, work: ReadTransaction, at: PackageAt, cursor: str | None = None) -> HTMLResponse:
    """Releases with their rates on one axis, highest first."""
    head = head_of(work, at, "Releases")
    page = catalog.list_releases(work, at.package, cursor=cursor, limit=_SHOWN)
    said = catalog.list_notes(work, at.package, [one.version for one in page.items])
    return render(
        request,
        work,
        "releases.html",
        **head.context(),
        json_url=f"{API}{head.base}/releases",
        releases=page.items,
        notes=[
            (one, render_notes(said[one.version], link_base=f"{head.base}/releases/{one.version}/code", first_level=4))
            for one in page.items
            if one.version in said
        ],
        next_url=f"{head.base}/releases?{urlencode({'cursor': page.next})}" if page.next else "",
    )
