"""What owners can do with a package: one module for each."""

from hub_server.ownership.actions.account_deletion import delete_account
from hub_server.ownership.actions.archive import archive_package, unarchive_package
from hub_server.ownership.actions.deletion import delete_package, delete_release
from hub_server.ownership.actions.run_deletion import delete_run
from hub_server.ownership.actions.transfers import (
    answer_transfer,
    find_offer,
    list_offers,
    list_transfers,
    offer_package,
    take_back_offer,
)

__all__ = [
    "answer_transfer",
    "archive_package",
    "delete_account",
    "delete_package",
    "delete_release",
    "delete_run",
    "find_offer",
    "list_offers",
    "list_transfers",
    "offer_package",
    "take_back_offer",
    "unarchive_package",
]
