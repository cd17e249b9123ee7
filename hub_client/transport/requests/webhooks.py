"""Webhooks: where a hub sends what happens, and what became of it."""

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.page import Page
from schemas.webhooks import Delivery, Webhook, WebhookCreate, WebhookSecret


def add_webhook(webhook: WebhookCreate) -> ApiCall[WebhookSecret]:
    """Have events sent to an address."""
    return ApiCall.send("POST", "/webhooks", WebhookSecret.read, webhook)


def list_webhooks(owner: str) -> ApiCall[Page[Webhook]]:
    """The webhooks of an owner."""
    return ApiCall.get("/webhooks", Page[Webhook].read, owner=owner)


def remove_webhook(webhook_id: str) -> ApiCall[None]:
    """Delete a webhook."""
    return ApiCall.send("DELETE", f"/webhooks/{webhook_id}", nothing)


def rotate_secret(webhook_id: str) -> ApiCall[WebhookSecret]:
    """Replace the secret that signs messages."""
    return ApiCall.send("POST", f"/webhooks/{webhook_id}/secret", WebhookSecret.read)


def enable_webhook(webhook_id: str) -> ApiCall[Webhook]:
    """Send again to one that was switched off."""
    return ApiCall.send("POST", f"/webhooks/{webhook_id}/enable", Webhook.read)


def send_test(webhook_id: str) -> ApiCall[Delivery]:
    """Send a message that only tries it."""
    return ApiCall.send("POST", f"/webhooks/{webhook_id}/test", Delivery.read)


def list_deliveries(webhook_id: str) -> ApiCall[Page[Delivery]]:
    """What was sent, newest first."""
    return ApiCall.get(f"/webhooks/{webhook_id}/deliveries", Page[Delivery].read)


def send_again(webhook_id: str, delivery_id: str) -> ApiCall[Delivery]:
    """Send a message again."""
    return ApiCall.send("POST", f"/webhooks/{webhook_id}/deliveries/{delivery_id}/again", Delivery.read)
