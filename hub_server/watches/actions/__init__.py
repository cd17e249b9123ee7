"""Watching, and being mailed about it."""

from hub_server.watches.actions.discussions import follow_discussion, follows_discussion, unfollow_discussion
from hub_server.watches.actions.news_mails import (
    NewsMail,
    forget_old_news,
    has_due_mails,
    note_mailed,
    note_news,
    queue_due_mails,
    write_news,
)
from hub_server.watches.actions.watches import (
    check_unsubscribe_link,
    is_watching,
    list_watches,
    set_pace,
    unsubscribe,
    unwatch,
    watch,
)

__all__ = [
    "NewsMail",
    "check_unsubscribe_link",
    "follow_discussion",
    "follows_discussion",
    "forget_old_news",
    "has_due_mails",
    "is_watching",
    "list_watches",
    "note_mailed",
    "note_news",
    "queue_due_mails",
    "set_pace",
    "unfollow_discussion",
    "unsubscribe",
    "unwatch",
    "watch",
    "write_news",
]
