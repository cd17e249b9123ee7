"""The index that pip reads (PEP 503 as HTML, PEP 691 as JSON): ``pip install --index-url HUB/simple owner-name``."""

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
_FRESH = {"Cache-Control": "max-age=60, stale-while-revalidate=600", "Vary": "Accept"}


@router.get("/simple/", summary="Every package, for pip")
def list_projects(request: Request, work: ReadTransaction) -> Response:
    names = sorted(distribution_name(package_id) for package_id in actions.list_package_ids(work))
    if _wants_json(request):
        return _json({"meta": {"api-version": "1.1"}, "projects": [{"name": name} for name in names]})
    links = [f'<a href="/simple/{name}/">{name}</a>' for name in names]
    return _html(request, "Packages", links)


@router.get("/simple/{project}/", summary="The wheels of a package, for pip")
def list_wheels(project: str, request: Request, work: ReadTransaction) -> Response:
    canonical = canonicalize_name(project)
    if project != canonical:
        return RedirectResponse(f"/simple/{canonical}/", status_code=301)
    owner, _, name = canonical.partition("-")
    if not name:
        raise PackageNotFoundError(f"There is no package {project} on this hub: names are owner-name.")
    every = actions.list_all_releases(work, f"{owner}/{name}")
    releases = [release for release in every if release.state is not ReleaseState.QUARANTINED]
    if _wants_json(request):
        return _json(
            {
                "meta": {"api-version": "1.1"},
                "name": canonical,
                "versions": [release.version for release in releases],
                "files": [_file(release) for release in releases],
            }
        )
    return _html(request, canonical, [_link(release) for release in releases])


def wheel_url(release: Release) -> str:
    """The permanent path of a release's wheel, from the page of its package on; its last part is what pip reads.

    Relative, so that what a cache keeps does not hold whatever host a request named.
    """
    hexadecimal = release.digest.removeprefix("sha256:")
    return f"{hexadecimal}/{wheel_name(release)}"


@router.get("/simple/{project}/{digest}/{filename}", summary="A wheel's bytes, for pip", include_in_schema=False)
def redirect_to_wheel(project: str, digest: str, filename: str, work: ReadTransaction) -> Response:  # noqa: ARG001 -- for pip
    owner, _, name = canonicalize_name(project).partition("-")
    release = actions.get_release(work, f"{owner}/{name}", f"sha256:{digest}")
    return RedirectResponse(
        f"/api/v1/packages/{release.package}/releases/{release.digest}/wheel", status_code=302, headers=_FRESH
    )


def _file(release: Release) -> dict[str, Any]:
    return {
        "filename": wheel_name(release),
        "url": wheel_url(release),
        "hashes": {"sha256": release.digest.removeprefix("sha256:")},
        "requires-python": release.requires_python or None,
        "size": release.size_bytes,
        "upload-time": release.published_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "yanked": (release.state_reason or True) if release.state is ReleaseState.YANKED else False,
    }


def _link(release: Release) -> str:
    attributes = ""
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


def _html(request: Request, title: str, links: list[str]) -> Response:
    kind = HTML_TYPE if HTML_TYPE in request.headers.get("accept", "") else "text/html"
    meta = '<meta name="pypi:repository-version" content="1.1">'
    head = f"<!DOCTYPE html><html><head>{meta}<title>{escape(title)}</title></head>"
    body = f"<body>{'<br>'.join(links)}</body></html>"
    return Response(head + body, media_type=kind, headers=_FRESH)
