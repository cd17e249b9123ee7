"""What can be done with the journal: add to it, prove what it holds, and go on with another key."""

from hub_server.journal.actions.entries import record_publish, record_state, record_transfer, remember_key
from hub_server.journal.actions.keys import list_signing_keys
from hub_server.journal.actions.proofs import (
    count_publishes,
    find_entry,
    get_checkpoint,
    get_consistency,
    get_release_proof,
    list_entries,
    tree_faults,
)
from hub_server.journal.actions.rotation import rotate_key

__all__ = [
    "count_publishes",
    "find_entry",
    "get_checkpoint",
    "get_consistency",
    "get_release_proof",
    "list_entries",
    "list_signing_keys",
    "record_publish",
    "record_state",
    "record_transfer",
    "remember_key",
    "rotate_key",
    "tree_faults",
]
