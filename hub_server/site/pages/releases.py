"""The releases of a package, with their rates on one axis."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from hub_server.catalog import actions as catalog
from hub_server.site.rendering.markdown import render_notes
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction
from schemas.package import Release

router = APIRouter(include_in_schema=False)
_SHOWN = 30
MOST_NOTES_CHARACTERS = 60_000
"""Of all releases on a page together, as of one README; what does not fit is linked. Thirty texts that were made slow
cost 4 s of CPU otherwise.
"""


@router.get("/packages/{owner}/{name}/releases")
def releases_page(request: Request, work: ReadTransaction, at: PackageAt, cursor: str | None = None) -> HTMLResponse:
    """Releases with their rates on one axis, highest first."""
    head = head_of(work, at, "Releases")
    page = catalog.list_releases(work, at.package, cursor=cursor, limit=_SHOWN)
    said = catalog.list_notes(work, at.package, [one.version for one in page.items])
    fitting = _fitting(said, [one.version for one in page.items])
    return render(
        request,
        work,
        "releases.html",
        **head.context(),
        json_url=f"{API}{head.base}/releases",
        releases=page.items,
        notes=[
            (one, _notes_of(one, said[one.version], head.base) if one.version in fitting else None)
            for one in page.items
            if one.version in said
        ],
        next_url=f"{head.base}/releases?{urlencode({'cursor': page.next})}" if page.next else "",
    )


def _fitting(said: Mapping[str, str], versions: Sequence[str]) -> set[str]:
    """The first of the versions whose texts have ``MOST_NOTES_CHARACTERS`` together."""
    room, found = MOST_NOTES_CHARACTERS, set()
    for version in versions:
        room -= len(said.get(version, ""))
        if room < 0:
            break
        found.add(version)
    return found


def _notes_of(release: Release, text: str, base: str) -> Markup:
    return render_notes(text, link_base=f"{base}/releases/{release.version}/code", first_level=4)
