"""What changed between two releases of a package, file by file."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from hub_server.catalog import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.diff.differences import ReleaseFiles, compare_releases
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.dependencies import ReadTransaction
from schemas.package import Release

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/diff")
def diff_page(
    request: Request,
    work: ReadTransaction,
    at: PackageAt,
    from_: Annotated[str, Query(alias="from")] = "",
    to: str = "",
) -> Response:
    """What changed between two releases, file by file: those that are named, else the newest and the one before."""
    head = head_of(work, at, "Releases")
    if not from_ or not to:
        versions = [one.version for one in actions.list_releases(work, at.package, limit=100).items]
        to = to or head.release.version
        before = versions[versions.index(to) + 1 :] if to in versions else []
        from_ = from_ or next(iter(before), "")
        way = f"diff?{urlencode({'from': from_, 'to': to})}" if from_ else "releases"
        return RedirectResponse(f"{head.base}/{way}", status_code=303)
    older, newer = (actions.get_release(work, head.detail.card.id, version) for version in (from_, to))
    changes, left_out = compare_releases(_files(work, older), _files(work, newer))
    return render(
        request,
        work,
        "diff/diff_page.html",
        **{**head.context(), "title": f"{head.detail.card.id}: {older.version} to {newer.version}"},
        older=older,
        newer=newer,
        changes=changes,
        left_out=left_out,
        added=sum(change.added for change in changes),
        removed=sum(change.removed for change in changes),
    )


def _files(work: UnitOfWork, release: Release) -> ReleaseFiles:
    files = actions.list_files(work, release.package, release.version)
    return ReleaseFiles(
        version=release.version,
        digests={file.path: file.sha256 for file in files},
        read=lambda path: actions.read_file(work, release.package, release.version, path),
    )
