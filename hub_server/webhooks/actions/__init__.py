"""What can be done with webhooks: name them, send to them, and look at what was sent."""

from hub_server.webhooks.actions.deliveries import (
    count_deliveries,
    count_webhooks,
    forget_old_deliveries,
    give_up,
    list_deliveries,
    queue_deliveries,
    queue_test,
    record_attempt,
    send_again,
    write_message,
)
from hub_server.webhooks.actions.registration import (
    add_webhook,
    enable_webhook,
    get_webhook,
    list_webhooks,
    remove_webhook,
    rotate_secret,
)

__all__ = [
    "add_webhook",
    "count_deliveries",
    "count_webhooks",
    "enable_webhook",
    "forget_old_deliveries",
    "get_webhook",
    "give_up",
    "list_deliveries",
    "list_webhooks",
    "queue_deliveries",
    "queue_test",
    "record_attempt",
    "remove_webhook",
    "rotate_secret",
    "send_again",
    "write_message",
]
