"""Resumable uploads: a large wheel comes in parts, any of which may be sent again, and is published by its digest."""

from functools import partial
from pathlib import Path
from typing import Annotated

import fastapi
from fastapi import APIRouter, Header, Request
from starlette.concurrency import run_in_threadpool

from hub_server.kernel.caller import Caller
from hub_server.publishing import actions
from hub_server.publishing.routes.publish import received
from hub_server.publishing.rules import MOST_PARTS
from hub_server.web.dependencies import ReadTransaction, Transactions, TransactionsDep, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.names import Digest
from schemas.package import Upload, UploadPart

router = APIRouter(prefix="/api/v1/uploads", tags=["publishing"], responses=PROBLEMS)
OfWheel = Annotated[Digest, fastapi.Path(description="`sha256:…` of the whole wheel.")]
Number = Annotated[int, fastapi.Path(ge=0, lt=MOST_PARTS, description="The part's place, from 0.")]


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
    async with received(request, services, caller, digest_sha256, actions.least_bytes(services)) as (path, part, size):
        keep = partial(_keep, transactions, digest, number, path, part, size)
        return await run_in_threadpool(keep)


def _keep(transactions: Transactions, digest: str, number: int, path: Path, part: str, size: int) -> UploadPart:
    """Store a part's bytes, and note them. Bytes that are refused or replaced are deleted: no job looks for them."""
    services, unneeded = transactions.services, part
    try:
        while True:
            services.blobs.put_file(path, part)
            with transactions.writing() as work:
                if not actions.holds_bytes(work, part):
                    continue  # old bytes were there, and were collected just now
                kept, before = actions.keep_part(work, digest, number, part, size)
            unneeded = before
            return kept
    finally:
        if unneeded:
            actions.delete_if_unused(services, unneeded)


@router.delete("/{digest}", status_code=204, summary="Forget the parts of a wheel")
def forget_upload(digest: OfWheel, work: WriteTransaction) -> None:
    actions.forget_upload(work, digest)
