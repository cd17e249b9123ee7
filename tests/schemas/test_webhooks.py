"""What a webhook may be, as both sides read it."""

import pytest
from pydantic import ValidationError

from schemas.webhooks import Delivery, DeliveryState, Webhook, WebhookCreate

WHEN = "2026-11-25T12:00:00Z"


def test_a_webhook_of_an_owner_tells_of_everything() -> None:
    hook = WebhookCreate(owner="alice", url="https://hooks.example/")
    assert (hook.package, hook.events) == (None, [])


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example",
        "javascript:alert(1)",
        "https://",
        "https://a b/",
        "https://a/\n",
        "https://a/\x7f",
        "https://é/",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        WebhookCreate(owner="alice", url=url)


def test_a_secret_is_no_part_of_a_webhook() -> None:
    assert not [name for name in Webhook.model_fields if name in ("secret", "former_secret")]


def test_a_delivery_that_was_not_tried_has_no_answer() -> None:
    sent = Delivery.model_validate(
        {"id": "m1", "type": "webhook.test", "subject": "w1", "state": "waiting", "created_at": WHEN, "attempts": 0}
    )
    assert (sent.state, sent.status, sent.tried_at, sent.note) == (DeliveryState.WAITING, None, None, "")
