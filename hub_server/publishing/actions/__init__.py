"""What an owner can do: publish a release, and change its status."""

from hub_server.publishing.actions.authors import read_author
from hub_server.publishing.actions.missing_entries import count_missing_entries, enter_missing_releases, enter_releases
from hub_server.publishing.actions.publish import (
    admit_upload,
    check_references_seen,
    check_release,
    count_bytes,
    forget_old_uploads,
    holds_bytes,
    make_release,
    release_row,
)
from hub_server.publishing.actions.release_state import (
    deprecate_release,
    undeprecate_release,
    unyank_release,
    yank_release,
)
from hub_server.publishing.actions.resumable_uploads import (
    admit_part,
    assemble_upload,
    delete_old_parts,
    forget_upload,
    keep_part,
    least_bytes,
    part_bytes,
    read_upload,
    release_parts,
)
from hub_server.publishing.actions.stored_bytes import (
    Damage,
    check_bytes,
    collect_unused,
    delete_if_unused,
    needed_bytes,
)

__all__ = [
    "Damage",
    "admit_part",
    "admit_upload",
    "assemble_upload",
    "check_bytes",
    "check_references_seen",
    "check_release",
    "collect_unused",
    "count_bytes",
    "count_missing_entries",
    "delete_if_unused",
    "delete_old_parts",
    "deprecate_release",
    "enter_missing_releases",
    "enter_releases",
    "forget_old_uploads",
    "forget_upload",
    "holds_bytes",
    "keep_part",
    "least_bytes",
    "make_release",
    "needed_bytes",
    "part_bytes",
    "read_author",
    "read_upload",
    "release_parts",
    "release_row",
    "undeprecate_release",
    "unyank_release",
    "yank_release",
]
