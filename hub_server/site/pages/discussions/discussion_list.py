"""The discussions of a package, or of one of its counter-examples."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.discussions import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/discussions")
def discussions_page(
    request: Request, work: ReadTransaction, at: PackageAt, case: str = "", state: str = "", cursor: str = ""
) -> HTMLResponse:
    """Discussions, the one with the newest post first; open and closed ones unless one is asked for."""
    head = head_of(work, at, "Discussions")
    package = head.detail.card.id
    asked = {name: value for name, value in (("case", case.strip()[:64]), ("state", state)) if value}
    page = actions.list_discussions(
        work, package, case=asked.get("case"), state=asked.get("state"), cursor=cursor or None
    )
    return render(
        request,
        work,
        "discussions/discussions.html",
        **{**head.context(), "title": f"Discussions of {package}"},
        json_url=f"{API}{head.base}/discussions" + (f"?{urlencode(asked)}" if asked else ""),
        discussions=page,
        asked=asked,
        states=actions.STATES,
        next_url=f"{head.base}/discussions?{urlencode({**asked, 'cursor': page.next})}" if page.next else None,
    )
