"""What a person can do with discussions: read, write, close; one module for each subject."""

from hub_server.discussions.actions.changes import (
    delete_post,
    edit_post,
    erase_discussions,
    open_discussion,
    reply,
    set_post_hidden,
)
from hub_server.discussions.actions.followers import follow, is_following, unfollow
from hub_server.discussions.actions.states import set_open
from hub_server.discussions.actions.threads import (
    STATES,
    count_by_case,
    count_open,
    get_discussion,
    get_post,
    list_discussions,
)

__all__ = [
    "STATES",
    "count_by_case",
    "count_open",
    "delete_post",
    "edit_post",
    "erase_discussions",
    "follow",
    "get_discussion",
    "get_post",
    "is_following",
    "list_discussions",
    "open_discussion",
    "reply",
    "set_open",
    "set_post_hidden",
    "unfollow",
]
