"""What can be done: register publishers, and exchange an identity token."""

from hub_server.trusted_publishing.actions.exchange import exchange_identity, forget_used_identities, read_identity
from hub_server.trusted_publishing.actions.publishers import (
    add_publisher,
    forget_publishers,
    list_publishers,
    remove_publisher,
)

__all__ = [
    "add_publisher",
    "exchange_identity",
    "forget_publishers",
    "forget_used_identities",
    "list_publishers",
    "read_identity",
    "remove_publisher",
]
