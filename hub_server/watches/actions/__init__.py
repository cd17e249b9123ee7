"""Watching, and being mailed about it."""

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
    "forget_old_news",
    "has_due_mails",
    "is_watching",
    "list_watches",
    "note_mailed",
    "note_news",
    "queue_due_mails",
    "set_pace",
    "unsubscribe",
    "unwatch",
    "watch",
    "write_news",
]
