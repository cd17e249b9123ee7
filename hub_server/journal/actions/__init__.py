"""What can be done with the journal: add to it, prove what it holds, and go on with another key."""

from hub_server.journal.actions.entries import (
    add_entries,
    publish_of,
    record_publish,
    record_state,
    record_transfer,
    remember_key,
    state_of,
)
from hub_server.journal.actions.followed import (
    SealedEntry,
    add_copied,
    copied_tree,
    entries_about,
    find_followed,
    follow,
    followed_keys,
    remember_keys,
    show_until,
)
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
    "SealedEntry",
    "add_copied",
    "add_entries",
    "copied_tree",
    "count_publishes",
    "entries_about",
    "find_entry",
    "find_followed",
    "follow",
    "followed_keys",
    "get_checkpoint",
    "get_consistency",
    "get_release_proof",
    "list_entries",
    "list_signing_keys",
    "publish_of",
    "record_publish",
    "record_state",
    "record_transfer",
    "remember_key",
    "remember_keys",
    "rotate_key",
    "show_until",
    "state_of",
    "tree_faults",
]
