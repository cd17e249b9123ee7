"""The list of collections, and the page of one."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.collections import actions
from hub_server.site.rendering.markdown import render_readme
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.web.dependencies import ReadTransaction
from schemas.names import MAX_PACKAGE_ID

router = APIRouter(include_in_schema=False)
SHOWN = 24
"""Packages on one page of a collection: 118 on one were 22,000 pixels on a phone."""


@router.get("/collections")
def collections_page(
    request: Request, work: ReadTransaction, q: str = "", owner: str = "", package: str = "", cursor: str = ""
) -> HTMLResponse:
    """Collections, newest first."""
    given = {"q": q.strip()[:200], "owner": owner.strip()[:80], "package": package.strip()[:MAX_PACKAGE_ID]}
    asked = {name: value for name, value in given.items() if value}
    page = actions.list_collections(
        work,
        text=asked.get("q", ""),
        owner=asked.get("owner"),
        package=asked.get("package"),
        cursor=cursor or None,
    )
    return render(
        request,
        work,
        "collections/collections.html",
        title="Collections",
        json_url=f"{API}/collections" + (f"?{urlencode(asked)}" if asked else ""),
        collections=page.items,
        asked=asked,
        next_url=f"/collections?{urlencode({**asked, 'cursor': page.next})}" if page.next else None,
    )


@router.get("/collections/{owner}/{name}")
def collection_page(request: Request, work: ReadTransaction, at: PackageAt, page: int = 1) -> HTMLResponse:
    """One collection: its text, and its packages in order, a few on each page."""
    found, number = actions.get_collection_page(work, at.owner, at.name, page=page, size=SHOWN)
    shown_before = (number - 1) * SHOWN
    is_last = shown_before + len(found.entries) >= found.entry_count
    text, _ = render_readme(found.text, link_base="", drop_title=found.title)
    return render(
        request,
        work,
        "collections/collection.html",
        title=found.title if number == 1 else f"{found.title}, page {number}",
        description=f"A collection of packages by {found.owner}.",
        canonical=_page_url(found.id, number),
        json_url=f"{API}/collections/{found.id}",
        collection=found,
        text=text if number == 1 else "",
        shown_before=shown_before,
        previous_url=_page_url(found.id, number - 1) if number > 1 else None,
        next_url=None if is_last else _page_url(found.id, number + 1),
        is_own=work.caller is not None and work.caller.maintains(found.owner),
    )


def _page_url(collection: str, number: int) -> str:
    return f"/collections/{collection}" + (f"?page={number}" if number > 1 else "")
