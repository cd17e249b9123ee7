"""Resumable uploads: a large wheel comes in parts, any of which may be sent again, and is published by its digest."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from starlette.concurrency import run_in_threadpool

from hub_server.kernel.caller import Caller
from hub_server.publishing import actions
from hub_server.publishing.routes.publish import received
from hub_server.publishing.rules import MOST_PARTS
from hub_server.web.dependencies import ReadTransaction, TransactionsDep, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.names import Digest
from schemas.package import Upload, UploadPart

router = APIRouter(prefix="/api/v1/uploads", tags=["publishing"], responses=PROBLEMS)
OfWheel = Annotated[Digest, Path(description="`sha256:…` of the whole wheel.")]
Number = Annotated[int, Path(ge=0, lt=MOST_PARTS, description="The part's place, from 0.")]


@router.get("/{digest}", summary="Which parts of a wheel have arrived")
def read_upload(digest: OfWheel, work: ReadTransaction) -> Upload:
    return actions.read_upload(work, digest)


@router.put(
    "/{digest}/parts/{number}",
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "The part's bytes.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
    summary="Send a part of a wheel",
)
async def send_part(
    request: Request,
    digest: OfWheel,
    number: Number,
    transactions: TransactionsDep,
    digest_sha256: Annotated[str | None, Header(description="`sha256:…` of the part, checked on arrival.")] = None,
) -> UploadPart:
    services = transactions.services

    def admit() -> Caller:
        with transactions.writing(is_act=False) as work:
            return actions.admit_part(work, digest)

    caller = await run_in_threadpool(admit)
    async with received(request, services, caller, digest_sha256) as (path, part, size):

        def keep() -> UploadPart:
            while True:
                services.blobs.put_file(path, part)
                with transactions.writing() as work:
                    if actions.holds_bytes(work, part):  # not if old bytes were there, and were collected just now
                        return actions.keep_part(work, digest, number, part, size)

        return await run_in_threadpool(keep)


@router.delete("/{digest}", status_code=204, summary="Forget the parts of a wheel")
def forget_upload(digest: OfWheel, work: WriteTransaction) -> None:
    actions.forget_upload(work, digest)
