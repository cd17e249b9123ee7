"""The files of a release, one at a time with numbered lines."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from collections.abc import Sequence
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from hub_server.catalog import actions
from hub_server.catalog.errors import FileMissingError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.highlighter import highlighted_lines
from hub_server.site.rendering.readme_files import find_file
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, ReleaseAt
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.dependencies import ReadTransaction
from schemas.package import ReleaseFile

router = APIRouter(include_in_schema=False)

MOST_LINES = 5000  # chosen, not measured

MOST_SHOWN_BYTES = 1_000_000  # chosen, not measured

_ON_FIRST_SIGHT = ("verihub.toml", "__init__.py")


@router.get("/packages/{owner}/{name}/releases/{version}/code")
def code_page(request: Request, work: ReadTransaction, at: ReleaseAt) -> HTMLResponse:
    """The files of a release; shows the manifest first."""
    head = head_of(work, at, "Code")
    files = actions.list_files(work, head.detail.card.id, head.release.version)
    path = next((f.path for wanted in _ON_FIRST_SIGHT for f in files if f.path.endswith(wanted)), "")
    return _show_file(request, work, head, files, path)


@router.get("/packages/{owner}/{name}/releases/{version}/code/{path:path}")
def file_page(request: Request, work: ReadTransaction, at: ReleaseAt, path: str) -> HTMLResponse:
    """One file with numbered lines."""
    head = head_of(work, at, "Code")
    files = actions.list_files(work, head.detail.card.id, head.release.version)
    if path not in {file.path for file in files}:
        path = _of_readme_link(path, files)
    return _show_file(request, work, head, files, path)


def _of_readme_link(path: str, files: list[ReleaseFile]) -> str:
    """A README names files by their place in the project; in the wheel they stand elsewhere."""
    found = find_file(path, {file.path for file in files})
    if found is None:
        raise FileMissingError(f"This release holds no file {path!r}.")
    return found


def _show_file(
    request: Request, work: UnitOfWork, head: PackageHead, files: list[ReleaseFile], path: str
) -> HTMLResponse:
    file = next((one for one in files if one.path == path), None)
    lines: Sequence[Markup] | None = None
    why_not, cut = "", False
    if file is not None and file.size > MOST_SHOWN_BYTES:
        why_not = "This file is too large to be shown here."
    elif file is not None:
        content = actions.read_file(work, head.detail.card.id, head.release.version, path)
        try:
            *first, rest = (content.decode() + "\n").split("\n", MOST_LINES)
            cut = bool(rest.strip("\n")) if len(first) == MOST_LINES else False
            lines = highlighted_lines("\n".join(first), path)
        except UnicodeDecodeError:
            why_not = "This file is not text."
    if lines is not None and len(lines) > MOST_LINES:
        lines, cut = lines[:MOST_LINES], True
    return render(
        request,
        work,
        "code.html",
        **head.context(),
        json_url=f"{API}{head.release_url}/files",
        files=sorted((one for one in files if not _is_metadata(one.path)), key=lambda one: one.path),
        metadata=sorted((one for one in files if _is_metadata(one.path)), key=lambda one: one.path),
        metadata_is_open=_is_metadata(path),
        file=file,
        path=path,
        lines=lines,
        cut=cut,
        why_not=why_not,
        raw_url=f"{API}{head.release_url}/files/{quote(path)}",
    )


def _is_metadata(path: str) -> bool:
    """Whether a build wrote the file, and not the author: nobody reads it to learn what a package does."""
    return ".dist-info/" in path
