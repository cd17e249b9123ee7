"""Publishing over HTTP: a wheel in, a release out."""

import hashlib
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Annotated

import anyio
from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from hub_server.errors import InvalidRequestError, StorageUnavailableError
from hub_server.kernel.caller import Caller
from hub_server.kernel.services import Services
from hub_server.publishing import actions
from hub_server.web.admission import admissions_of
from hub_server.web.dependencies import Transactions, TransactionsDep, WriteTransaction, public_url
from hub_server.web.openapi import PROBLEMS
from hub_server.web.senders import sender_of
from schemas.evidence.counter_examples import Reason
from schemas.journal.author_signature import AuthorSignature
from schemas.names import Digest
from schemas.package import PublishReceipt, Release, Visibility

_log = logging.getLogger(__name__)
router = APIRouter(prefix="/api/v1", tags=["publishing"], responses=PROBLEMS)


@contextmanager
def temporary_file(services: Services) -> Iterator[IO[bytes]]:
    """An empty file in the hub's data folder. Raises ``StorageUnavailableError`` for a full or broken disk."""
    folder = services.settings.data.absolute() / "uploads"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".whl") as file:
            yield file
    except OSError as error:
        raise StorageUnavailableError(f"The upload cannot be kept: {error.strerror or error}") from error


@asynccontextmanager
async def received(
    request: Request, services: Services, caller: Caller, announced: str | None, least: int = 0
) -> AsyncIterator[tuple[Path, str, int]]:
    """The body in a temporary file, its digest and its size in bytes. ``announced``: the digest that was meant.

    The bytes that came count as the caller's, even if they were too many; as ``least`` if they were fewer.
    """
    with temporary_file(services) as file:
        digest, size = hashlib.sha256(), 0
        try:
            async for chunk in request.stream():
                digest.update(chunk)
                size += len(chunk)
                await run_in_threadpool(file.write, chunk)
            await run_in_threadpool(file.flush)
        except OSError:
            os.ftruncate(file.fileno(), 0)  # so that a full disk has room for the row that counts it
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await run_in_threadpool(actions.count_bytes, services, caller, max(size, least))
        if size == 0:
            raise InvalidRequestError("The body is empty: send the bytes.")
        found = f"sha256:{digest.hexdigest()}"
        if announced is not None and announced.strip() != found:
            raise InvalidRequestError(f"The bytes that arrived are {found}, not {announced}: send them again.")
        yield Path(file.name), found, size


@router.post(
    "/packages",
    status_code=201,
    responses={200: {"description": "The same bytes were published before.", "model": PublishReceipt}},
    openapi_extra={
        "requestBody": {
            "required": False,
            "description": "The wheel's bytes; none with `upload`.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
    summary="Publish a release",
)
async def publish_package(  # noqa: PLR0913 -- FastAPI fills them by name
    request: Request,
    response: Response,
    transactions: TransactionsDep,
    *,
    digest_sha256: Annotated[str | None, Header(description="`sha256:…` of the bytes, checked on arrival.")] = None,
    dry_run: Annotated[bool, Query(description="Refuse what a publish would refuse; write nothing.")] = False,
    visibility: Annotated[Visibility | None, Query(description="Of a new package; null: public.")] = None,
    author_signature: Annotated[
        str | None, Header(description="The author's public key and signature, in base64, with a space between them.")
    ] = None,
    upload: Annotated[
        Digest | None, Query(description="Publish the parts that were sent of this wheel; the body is empty.")
    ] = None,
) -> PublishReceipt:
    services = transactions.services

    def admit() -> Caller:
        with transactions.writing(is_act=False) as work:
            return actions.admit_upload(work)

    caller = await run_in_threadpool(admit)  # 1
    author = actions.read_author(author_signature) if author_signature is not None else None
    publish = partial(_publish, transactions, visibility, author, dry_run=dry_run)
    inspections = admissions_of(request).inspections
    if upload is None:
        async with received(request, services, caller, digest_sha256) as (path, digest, _):  # 2
            receipt = await inspections.run(sender_of(request), partial(publish, path, digest))
    else:
        put_together = partial(_publish_upload, services, caller, upload, publish)
        receipt = await inspections.run(sender_of(request), put_together)
        if not dry_run:  # nobody waits for the parts of what is published, by this upload or before
            await run_in_threadpool(actions.release_parts, services, caller, upload)
    response.status_code = 201 if receipt.created else 200
    if receipt.created:
        _log.info("published %s %s by %s", receipt.release.package, receipt.release.version, caller.name)
    release = f"/api/v1/packages/{receipt.release.package}/releases/{receipt.release.version}"
    response.headers["Location"] = release
    return receipt.model_copy(update={"url": public_url(request, services) + receipt.url})


def _publish_upload(
    services: Services, caller: Caller, digest: str, publish: Callable[[Path, str], PublishReceipt]
) -> PublishReceipt:
    """Step 2 for a wheel that came in parts, then the others."""
    with temporary_file(services) as file:
        actions.assemble_upload(services, caller, digest, file)
        return publish(Path(file.name), digest)


def _publish(
    transactions: Transactions,
    visibility: Visibility | None,
    author: AuthorSignature | None,
    path: Path,
    digest: str,
    *,
    dry_run: bool,
) -> PublishReceipt:
    """Steps 3 to 6: make the release that the file at ``path`` is. A dry run ends after step 4.

    No transaction is open while the file is read or stored: both take long. Each transaction asks again who the caller
    is, because a token may be revoked meanwhile. A crash after step 5 leaves bytes that nothing points to.
    """
    services = transactions.services
    inspection = services.inspector.inspect(path, digest)  # 3: in a child process with limits
    with transactions.reading() as work:  # 4: check everything that could refuse the release before bytes are stored
        receipt = actions.check_release(work, inspection, visibility, author)
    if dry_run:
        return receipt
    while True:
        services.blobs.put_file(path, digest)  # 5
        with transactions.writing() as work:  # 6
            if actions.holds_bytes(work, digest):  # not if old bytes were there, and were collected just now
                return actions.make_release(work, inspection, visibility, author)


@router.post("/packages/{owner}/{name}/releases/{version}/yank", summary="Take a release out of @latest and ranges")
def yank_release(owner: str, name: str, version: str, body: Reason, work: WriteTransaction) -> Release:
    return actions.yank_release(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/unyank", summary="Undo a yank")
def unyank_release(owner: str, name: str, version: str, work: WriteTransaction) -> Release:
    return actions.unyank_release(work, f"{owner}/{name}", version)


@router.post("/packages/{owner}/{name}/releases/{version}/deprecate", summary="Say what to use instead")
def deprecate_release(owner: str, name: str, version: str, body: Reason, work: WriteTransaction) -> Release:
    return actions.deprecate_release(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/undeprecate", summary="Undo a deprecation")
def undeprecate_release(owner: str, name: str, version: str, work: WriteTransaction) -> Release:
    return actions.undeprecate_release(work, f"{owner}/{name}", version)
