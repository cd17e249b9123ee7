"""What an owner can do: publish a release, and change how one stands."""

from hub_server.publishing.actions.publish import check_may_publish, publish_release, rehearse_release, store_upload
from hub_server.publishing.actions.standing import (
    deprecate_release,
    undeprecate_release,
    unyank_release,
    yank_release,
)

__all__ = [
    "check_may_publish",
    "deprecate_release",
    "publish_release",
    "rehearse_release",
    "store_upload",
    "undeprecate_release",
    "unyank_release",
    "yank_release",
]
