"""What an owner can do: publish a release, and change its status."""

from hub_server.publishing.actions.publish import (
    admit_upload,
    check_release,
    count_bytes,
    forget_old_uploads,
    make_release,
)
from hub_server.publishing.actions.status import (
    deprecate_release,
    undeprecate_release,
    unyank_release,
    yank_release,
)

__all__ = [
    "admit_upload",
    "check_release",
    "count_bytes",
    "deprecate_release",
    "forget_old_uploads",
    "make_release",
    "undeprecate_release",
    "unyank_release",
    "yank_release",
]
