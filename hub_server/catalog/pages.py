"""Pages of the catalogue: search, releases and what changed between them, files, everything of one owner."""

# ruff: noqa: FAST003 -- the address classes of catalog.addresses take the path's parts

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import OrganizationNotFoundError
from hub_server.catalog import actions
from hub_server.catalog.addresses import PackageAddress, PackageAt, ReleaseAddress, ReleaseAt
from hub_server.catalog.differences import ReleaseFiles, compare_releases
from hub_server.catalog.errors import FileMissingError
from hub_server.catalog.presenting import (
    SORT_NAMES,
    PackageHead,
    chips_of,
    facets_of,
    search_heading,
    search_url,
)
from hub_server.catalog.rules import SearchRequest
from hub_server.web.dependencies import ReadWork
from hub_server.web.highlighting import highlighted_lines
from hub_server.web.rendering import render
from hub_server.work import Work
from schemas.account import Member
from schemas.package import Release, ReleaseFile

router = APIRouter(include_in_schema=False)
API = "/api/v1"
MOST_LINES = 5000
MOST_SHOWN_BYTES = 1_000_000
_ON_FIRST_SIGHT = ("verihub.toml", "__init__.py")


def head_of(work: Work, at: PackageAddress, tab: str) -> PackageHead:
    """The head of a package's page: of the release that is named, else of the shown one. Raises where there is none."""
    detail = actions.get_package(work, at.package)
    if isinstance(at, ReleaseAddress):
        return PackageHead(detail, actions.get_release(work, detail.card.id, at.version), tab)
    shown = next((one for one in detail.releases if one.version == detail.card.latest), None)
    return PackageHead(detail, shown or detail.releases[0], tab)


class SearchForm(BaseModel):
    """What an address of a search says. Unknown words in it are ignored: a page never breaks on an old link."""

    model_config = ConfigDict(frozen=True)

    q: str = ""
    kind: list[str] = []
    tag: list[str] = []
    grade: list[str] = []
    licence: list[str] = []
    owner: str = ""
    sort: str = "relevance"
    cursor: str = ""

    def request(self) -> SearchRequest:
        """The search that is meant."""
        return SearchRequest(
            text=self.q.strip()[:200],
            kinds=tuple(self.kind),
            tags=tuple(self.tag),
            grades=tuple(self.grade),
            licences=tuple(self.licence),
            owner=self.owner or None,
            sort=self.sort or "relevance",
            cursor=self.cursor or None,
        )


@router.get("/packages")
def search_page(request: Request, work: ReadWork, form: Annotated[SearchForm, Query()]) -> HTMLResponse:
    """Search with facets; every state is an address."""
    asked = form.request()
    page = actions.search_packages(work, asked)
    heading = search_heading(page.total or 0, asked.text)
    context: dict[str, Any] = {
        "title": heading,
        "heading": heading,
        "section": "Packages",
        "json_url": API + search_url(asked, cursor=asked.cursor),
        "page": page,
        "query": {"q": asked.text, "sort": asked.sort},
        "facets": facets_of(page, asked),
        "shown": chips_of(asked),
        "near": [] if page.items else actions.suggest_packages(work, asked.text),
        "next_url": search_url(asked, cursor=page.next) if page.next else None,
        "first_url": search_url(asked) if asked.cursor else None,
        "sorts": SORT_NAMES,
    }
    return render(request, work, "catalog/search.html", **context)


@router.get("/owners/{owner}")
def owner_page(request: Request, work: ReadWork, owner: str, cursor: str | None = None) -> HTMLResponse:
    """Everything that one person or organisation has published."""
    members, joined = _owner_profile(work, owner)
    asked = SearchRequest(owner=owner, sort="updated", cursor=cursor)
    page = actions.search_packages(work, asked)
    return render(
        request,
        work,
        "catalog/owner.html",
        title=owner,
        section="Packages",
        json_url=f"{API}/packages?owner={quote(owner)}",
        owner=owner,
        joined=joined,
        members=members,
        page=page,
        next_url=f"/owners/{owner}?{urlencode({'cursor': page.next})}" if page.next else None,
        runs_url=f"/runs?owner={quote(owner)}",
    )


def _owner_profile(work: Work, owner: str) -> tuple[list[Member], datetime]:
    """Members (none for a person) and since when. Raises ``AccountNotFoundError`` where there is neither."""
    try:
        organization = accounts.get_organization(work, owner)
    except OrganizationNotFoundError:
        return [], accounts.get_account(work, owner).created_at
    return organization.members, organization.created_at


@router.get("/packages/{owner}/{name}/releases")
def releases_page(request: Request, work: ReadWork, at: PackageAt) -> HTMLResponse:
    """Every release with its rates on one axis."""
    head = head_of(work, at, "Releases")
    return render(
        request, work, "catalog/releases.html", **head.context(), json_url=f"{API}{head.base}/releases"
    )  # fmt: skip


@router.get("/packages/{owner}/{name}/diff")
def diff_page(
    request: Request,
    work: ReadWork,
    at: PackageAt,
    from_: Annotated[str, Query(alias="from")],
    to: str,
) -> HTMLResponse:
    """What changed between two releases, file by file."""
    head = head_of(work, at, "Releases")
    older, newer = (actions.get_release(work, head.detail.card.id, version) for version in (from_, to))
    changes = compare_releases(_files(work, older), _files(work, newer))
    return render(
        request,
        work,
        "catalog/diff.html",
        **{**head.context(), "title": f"{head.detail.card.id}: {older.version} to {newer.version}"},
        older=older,
        newer=newer,
        changes=changes,
        added=sum(change.added for change in changes),
        removed=sum(change.removed for change in changes),
    )


def _files(work: Work, release: Release) -> ReleaseFiles:
    files = actions.list_files(work, release.package, release.version)
    return ReleaseFiles(
        version=release.version,
        digests={file.path: file.sha256 for file in files},
        read=lambda path: actions.read_file(work, release.package, release.version, path),
    )


@router.get("/packages/{owner}/{name}/releases/{version}/code")
def code_page(request: Request, work: ReadWork, at: ReleaseAt) -> HTMLResponse:
    """The files of a release; shows the manifest first."""
    head = head_of(work, at, "Code")
    files = actions.list_files(work, head.detail.card.id, head.release.version)
    path = next((f.path for wanted in _ON_FIRST_SIGHT for f in files if f.path.endswith(wanted)), "")
    return _show_file(request, work, head, files, path)


@router.get("/packages/{owner}/{name}/releases/{version}/code/{path:path}")
def file_page(request: Request, work: ReadWork, at: ReleaseAt, path: str) -> HTMLResponse:
    """One file with numbered lines."""
    head = head_of(work, at, "Code")
    files = actions.list_files(work, head.detail.card.id, head.release.version)
    if path not in {file.path for file in files}:
        path = _of_readme_link(path, files)
    return _show_file(request, work, head, files, path)


def _of_readme_link(path: str, files: list[ReleaseFile]) -> str:
    """A README names files by their place in the project; in the wheel they stand elsewhere."""
    found = [file.path for file in files if file.path.endswith("/" + path.removeprefix("src/"))]
    found += [file.path for file in files if file.path == path.removeprefix("src/")]
    if len(found) != 1:
        raise FileMissingError(f"This release holds no file {path!r}.")
    return found[0]


def _show_file(request: Request, work: Work, head: PackageHead, files: list[ReleaseFile], path: str) -> HTMLResponse:
    file = next((one for one in files if one.path == path), None)
    lines, why_not, cut = None, "", False
    if file is not None and file.size > MOST_SHOWN_BYTES:
        why_not = "This file is too large to be shown here."
    elif file is not None:
        content = actions.read_file(work, head.detail.card.id, head.release.version, path)
        try:
            lines = highlighted_lines(content.decode(), path)
        except UnicodeDecodeError:
            why_not = "This file is not text."
    if lines is not None and len(lines) > MOST_LINES:
        lines, cut = lines[:MOST_LINES], True
    return render(
        request,
        work,
        "catalog/code.html",
        **head.context(),
        json_url=f"{API}{head.release_url}/files",
        files=sorted(files, key=lambda one: (".dist-info/" in one.path, one.path)),
        file=file,
        path=path,
        lines=lines,
        cut=cut,
        why_not=why_not,
        raw_url=f"{API}{head.release_url}/files/{quote(path)}",
    )
