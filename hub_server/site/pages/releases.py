"""The releases of a package, with their rates on one axis."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/releases")
def releases_page(request: Request, work: ReadTransaction, at: PackageAt) -> HTMLResponse:
    """Every release with its rates on one axis."""
    head = head_of(work, at, "Releases")
    return render(
        request, work, "releases.html", **head.context(), json_url=f"{API}{head.base}/releases"
    )  # fmt: skip
