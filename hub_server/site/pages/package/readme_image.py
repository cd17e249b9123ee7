"""The images of a package's README, from the hub's own address: nobody else learns who reads it."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from fastapi import APIRouter, Request, Response

from hub_server.catalog import actions
from hub_server.catalog.errors import FileMissingError
from hub_server.catalog.routes.api import REVALIDATED, STRANGERS_BYTES
from hub_server.site.rendering.readme_files import image_paths, image_type
from hub_server.site.sections.addresses import ReleaseAt
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.etags import has_already

router = APIRouter(include_in_schema=False)


@router.get("/packages/{owner}/{name}/releases/{version}/images/{path:path}")
def readme_image(request: Request, work: ReadTransaction, at: ReleaseAt, path: str) -> Response:
    """An image that lies in the wheel. Raises ``FileMissingError`` for what is none, or is too large to be shown."""
    release = actions.release_of(actions.usable_release(work, at.package, at.version))
    found = next((one for one in actions.list_files(work, at.package, release.version) if one.path == path), None)
    shown = image_paths([found]) if found is not None else ()
    content = actions.read_file(work, at.package, release.version, path) if shown else b""
    kind = image_type(path, content)
    if found is None or kind is None:
        raise FileMissingError(f"This release holds no image {path!r}.")
    headers = {**STRANGERS_BYTES, "ETag": f'"{found.sha256}"', "Cache-Control": REVALIDATED}
    if has_already(request.headers.get("if-none-match", ""), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)
