"""The catalogue over HTTP: search, packages, releases, files, wheels."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Query, Request, Response
from fastapi.responses import StreamingResponse

from hub_server.catalog import actions
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.database.visibility import EVERYTHING
from hub_server.errors import ReadOnlyError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.buckets import Buckets
from hub_server.web.byte_ranges import ByteRange, byte_range_of
from hub_server.web.dependencies import ReadTransaction, ServicesDep
from hub_server.web.etags import has_already
from hub_server.web.openapi import BYTES, PROBLEMS, RANGES
from hub_server.web.senders import anonymous_sender, sender_of
from schemas.kinds import PackageKind
from schemas.names import distribution_name
from schemas.package import Dependant, PackageCard, PackageDetail, PackagePage, PackageSort, Release, ReleaseFile
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["catalogue"], responses=PROBLEMS)
# A digest's bytes never change, but a moderator may withdraw them: caches keep them and ask each time (a 304).
REVALIDATED = "public, no-cache"
# A stranger's bytes must never act as a page of ours: they are saved, not shown, and have no rights if shown.
STRANGERS_BYTES = {"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"}
_BYTES = "application/octet-stream"
Values = Annotated[list[str] | None, Query()]
Kinds = Annotated[list[PackageKind] | None, Query()]


@router.get("/packages", summary="Search packages")
def search_packages(  # noqa: PLR0913, PLR0917 -- one parameter a query parameter
    work: ReadTransaction,
    q: Annotated[str, Query(max_length=400, description="Words; every operator is taken as text.")] = "",
    kind: Values = None,
    tag: Values = None,
    grade: Values = None,
    licence: Values = None,
    interaction: Values = None,
    family: Values = None,
    difficulty: Values = None,
    source: Values = None,
    owner: str | None = None,
    sort: PackageSort = PackageSort.RELEVANCE,
    cursor: str | None = None,
    limit: int = 20,
) -> PackagePage:
    wanted = SearchRequest(
        text=q,
        kinds=tuple(kind or ()),
        tags=tuple(tag or ()),
        grades=tuple(grade or ()),
        licences=tuple(licence or ()),
        interactions=tuple(interaction or ()),
        families=tuple(family or ()),
        difficulties=tuple(difficulty or ()),
        sources=tuple(source or ()),
        owner=owner,
        sort=sort,
        cursor=cursor,
        limit=limit,
    )
    return actions.search_packages(work, wanted)


@router.get("/packages/{owner}/{name}", summary="A package with its releases")
def read_package(owner: str, name: str, work: ReadTransaction) -> PackageDetail:
    return actions.get_package(work, f"{owner}/{name}")


@router.get("/packages/{owner}/{name}/releases", summary="Releases, highest version first")
def list_releases(
    owner: str, name: str, work: ReadTransaction, cursor: str | None = None, limit: int = 50
) -> Page[Release]:
    return actions.list_releases(work, f"{owner}/{name}", cursor=cursor, limit=limit)


@router.get("/packages/{owner}/{name}/similar", summary="Packages that ask something alike, the most alike first")
def list_similar(owner: str, name: str, work: ReadTransaction) -> Page[PackageCard]:
    return Page[PackageCard](items=actions.list_similar(work, f"{owner}/{name}"))


@router.get("/packages/{owner}/{name}/dependants", summary="Packages that depend on it or name it, by id")
def list_dependants(
    owner: str, name: str, work: ReadTransaction, kind: Kinds = None, cursor: str | None = None, limit: int = 20
) -> Page[Dependant]:
    kinds = frozenset(kind or PackageKind)
    return actions.list_dependants(work, f"{owner}/{name}", kinds, cursor=cursor, limit=limit)


@router.get("/packages/{owner}/{name}/releases/{version}", summary="The release that a version, range or digest means")
def read_release(owner: str, name: str, version: str, work: ReadTransaction) -> Release:
    return actions.get_release(work, f"{owner}/{name}", version)


@router.get("/packages/{owner}/{name}/releases/{version}/wheel", responses=RANGES, summary="The wheel's bytes")
def download_wheel(  # noqa: PLR0917 -- FastAPI fills them by name
    owner: str,
    name: str,
    version: str,
    request: Request,
    services: ServicesDep,
    work: ReadTransaction,
    after: BackgroundTasks,
) -> Response:
    package_id = f"{owner}/{name}"
    release = actions.release_of(actions.usable_release(work, package_id, version))
    is_exact = version in (release.version, release.digest)
    tag = f'"{release.digest}"'
    headers = {
        "ETag": tag,
        "X-Verihub-Digest": release.digest,
        "X-Verihub-Version": release.version,
        "Cache-Control": REVALIDATED if is_exact else "no-cache",
        "Content-Disposition": f'attachment; filename="{wheel_name(release)}"',
        **STRANGERS_BYTES,
    }
    if has_already(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    headers["Accept-Ranges"] = "bytes"
    asked = request.headers.get("range")
    part = byte_range_of(asked, request.headers.get("if-range"), tag, release.size_bytes)
    if part is not None:  # counted by nobody: whoever reads parts asks many times
        return _part_of_wheel(services, release, part, headers)
    counted: Buckets = request.app.state.downloads
    sender = sender_of(request).key
    if not counted.take(f"{sender} {release.digest}"):
        place = anonymous_sender(request.scope).key  # or one person with many accounts would be many senders
        after.add_task(_count_download, services, package_id, release.version, place)
    chunks = services.blobs.stream(release.digest, size=release.size_bytes)
    headers["Content-Length"] = str(release.size_bytes)
    return StreamingResponse(chunks, media_type=_BYTES, headers=headers)


def _part_of_wheel(services: Services, release: Release, part: ByteRange, headers: dict[str, str]) -> Response:
    headers = {**headers, "Content-Range": part.header}
    if part.is_empty:
        return Response(status_code=416, headers=headers)
    chunks = services.blobs.stream(release.digest, (part.start, part.end), size=release.size_bytes)
    headers["Content-Length"] = str(part.end - part.start)
    return StreamingResponse(chunks, status_code=206, media_type=_BYTES, headers=headers)


def _count_download(services: Services, package_id: str, version: str, sender: str) -> None:
    """Count a download after the last byte: an interrupted download does not count, and counting delays nobody."""
    with suppress(ReadOnlyError), services.database.writing(sees=EVERYTHING) as session:
        actions.count_download(UnitOfWork(session, services), package_id, version, sender)


def wheel_name(release: Release) -> str:
    """The file name that pip expects of a wheel."""
    return f"{distribution_name(release.package).replace('-', '_')}-{release.version}-py3-none-any.whl"


@router.get("/packages/{owner}/{name}/releases/{version}/files", summary="Files inside the wheel")
def list_files(owner: str, name: str, version: str, work: ReadTransaction) -> Page[ReleaseFile]:
    return Page[ReleaseFile](items=actions.list_files(work, f"{owner}/{name}", version))


@router.get(
    "/packages/{owner}/{name}/releases/{version}/files/{path:path}", responses=BYTES, summary="One file's bytes"
)
def read_file(owner: str, name: str, version: str, path: str, work: ReadTransaction) -> Response:
    content = actions.read_file(work, f"{owner}/{name}", version, path)
    filename = path.rsplit("/", 1)[-1].encode("ascii", "replace").decode().replace('"', "")
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', **STRANGERS_BYTES}
    return Response(content, media_type=_BYTES, headers=headers)
