"""What a person can do with collections: read, write, delete; one module for each subject."""

from hub_server.collections.actions.changes import delete_collection, set_hidden, write_collection
from hub_server.collections.actions.collections import (
    get_collection,
    get_collection_page,
    list_collections,
    list_collections_with,
)

__all__ = [
    "delete_collection",
    "get_collection",
    "get_collection_page",
    "list_collections",
    "list_collections_with",
    "set_hidden",
    "write_collection",
]
