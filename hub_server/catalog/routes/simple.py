"""The index that pip reads (PEP 503 as HTML, PEP 691 as JSON): ``pip install --index-url HUB/simple owner-name``."""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from packaging.utils import canonicalize_name

from hub_server.catalog import actions
from hub_server.catalog.errors import PackageNotFoundError
from hub_server.catalog.routes.api import wheel_name
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.names import distribution_name
from schemas.package import Release, ReleaseState

router = APIRouter(tags=["index"], responses=PROBLEMS)
JSON_TYPE = "application/vnd.pypi.simple.v1+json"
HTML_TYPE = "application/vnd.pypi.simple.v1+html"
_METADATA = ".metadata"
_FRESH = {"Cache-Control": "max-age=60, stale-while-revalidate=600", "Vary": "Accept"}


@router.get("/simple/", summary="Every package, for pip")
def list_projects(request: Request, work: ReadTransaction) -> Response:
    is_json, lists = _wants_json(request), request.app.state.kept_lists

    def made() -> bytes:
        names = sorted(distribution_name(package_id) for package_id in actions.list_package_ids(work))
        return _projects_json(names) if is_json else _page("Packages", [_project_link(name) for name in names])

    name, media_type = ("simple JSON", JSON_TYPE) if is_json else ("simple HTML", _html_type(request))
    answer: Response = lists.answer(
        request, name, actions.newest_change(work), made, media_type=media_type, headers=_FRESH
    )
    return answer


def _projects_json(names: list[str]) -> bytes:
    content = {"meta": {"api-version": "1.1"}, "projects": [{"name": name} for name in names]}
    return json.dumps(content, separators=(",", ":")).encode()


def _project_link(name: str) -> str:
    return f'<a href="/simple/{name}/">{name}</a>'


@router.get("/simple/{project}/", summary="The wheels of a package, for pip")
def list_wheels(project: str, request: Request, work: ReadTransaction) -> Response:
    canonical = canonicalize_name(project)
    if project != canonical:
        return RedirectResponse(f"/simple/{canonical}/", status_code=301)
    owner, _, name = canonical.partition("-")
    if not name:
        raise PackageNotFoundError(f"There is no package {project} on this hub: names are owner-name.")
    package_id = f"{owner}/{name}"
    every = actions.list_all_releases(work, package_id)
    archived_reason = actions.get_package_row(work, package_id).archived_reason
    releases = [release for release in every if release.state is not ReleaseState.QUARANTINED]
    if _wants_json(request):
        return _json(
            {
                "meta": {"api-version": "1.4"},
                "name": canonical,
                "project-status": _status_of(every, archived_reason),
                "versions": [release.version for release in releases],
                "files": [_file(release) for release in releases],
            }
        )
    body = _page(canonical, [_link(release) for release in releases])
    return Response(body, media_type=_html_type(request), headers=_FRESH)


def wheel_url(release: Release) -> str:
    """The permanent path of a release's wheel, from the page of its package on; its last part is what pip reads.

    Relative, so that what a cache keeps does not hold whatever host a request named.
    """
    hexadecimal = release.digest.removeprefix("sha256:")
    return f"{hexadecimal}/{wheel_name(release)}"


@router.get(
    "/simple/{project}/{digest}/{filename}", summary="A wheel's bytes or its metadata, for pip", include_in_schema=False
)
def redirect_to_wheel(project: str, digest: str, filename: str, work: ReadTransaction) -> Response:
    owner, _, name = canonicalize_name(project).partition("-")
    release = actions.get_release(work, f"{owner}/{name}", f"sha256:{digest}")
    if filename == f"{wheel_name(release)}{_METADATA}":  # PEP 658: what a resolver needs, without the wheel
        info = wheel_name(release).removesuffix("-py3-none-any.whl")
        content = actions.read_file(work, release.package, release.digest, f"{info}.dist-info/METADATA")
        return Response(content, media_type="text/plain; charset=utf-8", headers=_FRESH)
    return RedirectResponse(
        f"/api/v1/packages/{release.package}/releases/{release.digest}/wheel", status_code=302, headers=_FRESH
    )


def _status_of(releases: Sequence[Release], archived_reason: str | None) -> dict[str, str]:
    """PEP 792: what holds of the project as a whole, because it is archived, or because it holds of every release."""
    states = {release.state for release in releases}
    if states == {ReleaseState.QUARANTINED}:
        return {"status": "quarantined", "reason": releases[0].state_reason}
    if archived_reason is not None:
        return {"status": "archived", "reason": archived_reason}
    if states == {ReleaseState.DEPRECATED}:
        return {"status": "deprecated", "reason": releases[0].state_reason}
    return {"status": "active"}


def _file(release: Release) -> dict[str, Any]:
    return {
        "filename": wheel_name(release),
        "url": wheel_url(release),
        "hashes": {"sha256": release.digest.removeprefix("sha256:")},
        "requires-python": release.requires_python or None,
        "core-metadata": True,
        "size": release.size_bytes,
        "upload-time": release.seen_since.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "yanked": (release.state_reason or True) if release.state is ReleaseState.YANKED else False,
    }


def _link(release: Release) -> str:
    attributes = ' data-core-metadata="true"'
    if release.requires_python:
        attributes += f' data-requires-python="{escape(release.requires_python)}"'
    if release.state is ReleaseState.YANKED:
        attributes += f' data-yanked="{escape(release.state_reason)}"'
    url = f"{wheel_url(release)}#sha256={release.digest.removeprefix('sha256:')}"
    return f'<a href="{escape(url)}"{attributes}>{escape(wheel_name(release))}</a>'


def _wants_json(request: Request) -> bool:
    return JSON_TYPE in request.headers.get("accept", "")


def _json(content: dict[str, Any]) -> Response:
    return JSONResponse(content, media_type=JSON_TYPE, headers=_FRESH)


def _html_type(request: Request) -> str:
    return HTML_TYPE if HTML_TYPE in request.headers.get("accept", "") else "text/html"


def _page(title: str, links: list[str]) -> bytes:
    meta = '<meta name="pypi:repository-version" content="1.1">'
    head = f"<!DOCTYPE html><html><head>{meta}<title>{escape(title)}</title></head>"
    return f"{head}<body>{'<br>'.join(links)}</body></html>".encode()
