"""Collections: curated lists of packages."""

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.collections import Collection, CollectionSummary, CollectionWrite
from schemas.names import split_package_id
from schemas.page import Page


def list_collections(
    query: str = "",
    *,
    owner: str | None = None,
    package: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> ApiCall[Page[CollectionSummary]]:
    """One page of collections, newest first."""
    read = Page[CollectionSummary].read
    return ApiCall.get("/collections", read, q=query or None, owner=owner, package=package, cursor=cursor, limit=limit)


def get_collection(collection_id: str) -> ApiCall[Collection]:
    """A collection with its entries."""
    return ApiCall.get(_path(collection_id), Collection.read)


def write_collection(collection_id: str, body: CollectionWrite) -> ApiCall[Collection]:
    """Make a collection, or replace all of it."""
    return ApiCall.send("PUT", _path(collection_id), Collection.read, body)


def delete_collection(collection_id: str) -> ApiCall[None]:
    """Delete a collection; its packages stay."""
    return ApiCall.send("DELETE", _path(collection_id), nothing)


def _path(collection_id: str) -> str:
    owner, name = split_package_id(collection_id)
    return f"/collections/{owner}/{name}"
