"""Publishing over HTTP: a wheel in, a release out."""

import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from hub_server.errors import InvalidRequestError, StorageUnavailableError
from hub_server.parts import Parts
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing import actions
from hub_server.web.dependencies import CredentialsDep, PartsDep, WriteWork, authenticated, public_url
from hub_server.web.describing import PROBLEMS
from hub_server.work import Work
from schemas.audit import Reason
from schemas.package import PublishReceipt, Release

router = APIRouter(prefix="/api/v1", tags=["publishing"], responses=PROBLEMS)


async def inspected_upload(
    request: Request,
    parts: PartsDep,
    credentials: CredentialsDep,
    digest_sha256: Annotated[str | None, Header(description="`sha256:…` of the bytes, checked on arrival.")] = None,
) -> Inspection:
    """The uploaded wheel, stored and looked into, before the request's transaction begins.

    This part may take seconds.
    """

    def check() -> None:
        with parts.database.reading() as session:
            actions.check_may_publish(authenticated(Work(session, parts), request, credentials))

    await run_in_threadpool(check)
    async with _received(request, parts) as (path, digest):
        if digest_sha256 is not None and digest_sha256.strip() != digest:
            raise InvalidRequestError(f"The bytes that arrived are {digest}, not {digest_sha256}: send them again.")
        return await run_in_threadpool(actions.store_upload, parts, path, digest)


@asynccontextmanager
async def _received(request: Request, parts: Parts) -> AsyncIterator[tuple[Path, str]]:
    """The body in a temporary file, with its digest taken on the way."""
    folder = parts.settings.data.absolute() / "uploads"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".whl") as file:
            digest = hashlib.sha256()
            async for chunk in request.stream():
                digest.update(chunk)
                await run_in_threadpool(file.write, chunk)
            await run_in_threadpool(file.flush)
            if file.tell() == 0:
                raise InvalidRequestError("The body is empty: send the wheel's bytes.")
            yield Path(file.name), f"sha256:{digest.hexdigest()}"
    except OSError as error:
        raise StorageUnavailableError(f"The upload cannot be kept: {error.strerror or error}") from error


@router.post(
    "/packages",
    status_code=201,
    responses={200: {"description": "The same bytes were published before.", "model": PublishReceipt}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "The wheel's bytes.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
    summary="Publish a release",
)
def publish_package(
    upload: Annotated[Inspection, Depends(inspected_upload)],
    request: Request,
    response: Response,
    parts: PartsDep,
    work: WriteWork,
    dry_run: Annotated[bool, Query(description="Refuse what a publish would refuse; write nothing.")] = False,
) -> PublishReceipt:
    receipt = actions.rehearse_release(work, upload) if dry_run else actions.publish_release(work, upload)
    response.status_code = 201 if receipt.created else 200
    path = f"/api/v1/packages/{receipt.release.package}/releases/{receipt.release.version}"
    response.headers["Location"] = path
    return receipt.model_copy(update={"url": public_url(request, parts) + receipt.url})


@router.post("/packages/{owner}/{name}/releases/{version}/yank", summary="Take a release out of @latest and ranges")
def yank_release(owner: str, name: str, version: str, body: Reason, work: WriteWork) -> Release:
    return actions.yank_release(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/unyank", summary="Undo a yank")
def unyank_release(owner: str, name: str, version: str, work: WriteWork) -> Release:
    return actions.unyank_release(work, f"{owner}/{name}", version)


@router.post("/packages/{owner}/{name}/releases/{version}/deprecate", summary="Say what to use instead")
def deprecate_release(owner: str, name: str, version: str, body: Reason, work: WriteWork) -> Release:
    return actions.deprecate_release(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/undeprecate", summary="Undo a deprecation")
def undeprecate_release(owner: str, name: str, version: str, work: WriteWork) -> Release:
    return actions.undeprecate_release(work, f"{owner}/{name}", version)
