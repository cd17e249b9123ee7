"""Collections over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query

from hub_server.collections import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.collections import Collection, CollectionSummary, CollectionWrite
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["collections"], responses=PROBLEMS)


@router.get("/collections", summary="Collections, newest first")
def list_collections(
    work: ReadTransaction,
    q: Annotated[str, Query(max_length=400, description="Words of title, name or text.")] = "",
    owner: str | None = None,
    package: str | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[CollectionSummary]:
    return actions.list_collections(work, text=q, owner=owner, package=package, cursor=cursor, limit=limit)


@router.get("/collections/{owner}/{name}", summary="A collection with its entries")
def read_collection(owner: str, name: str, work: ReadTransaction) -> Collection:
    return actions.get_collection(work, owner, name)


@router.put("/collections/{owner}/{name}", summary="Make a collection, or replace all of it")
def write_collection(owner: str, name: str, body: CollectionWrite, work: WriteTransaction) -> Collection:
    return actions.write_collection(work, owner, name, body)


@router.delete("/collections/{owner}/{name}", status_code=204, summary="Delete a collection; its packages stay")
def delete_collection(owner: str, name: str, work: WriteTransaction) -> None:
    actions.delete_collection(work, owner, name)
