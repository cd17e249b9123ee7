"""An account's ledger: by which cases it has gained and lost points, and what these let it do."""

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.audits import actions
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction

router = APIRouter(include_in_schema=False)


@router.get("/owners/{owner}/standing")
def standing_page(request: Request, work: ReadTransaction, owner: str, cursor: str | None = None) -> HTMLResponse:
    """The ledger, newest first."""
    found = actions.get_standing(work, owner, cursor=cursor)
    url = f"/owners/{quote(owner)}/standing"
    return render(
        request,
        work,
        "standing.html",
        title=f"Standing of {owner}",
        section="Packages",
        json_url=f"{API}/accounts/{quote(owner)}/standing",
        standing=found,
        next_url=f"{url}?{urlencode({'cursor': found.next})}" if found.next else None,
    )
