"""What the tables themselves hold to."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.webhooks.models import DeliveryRow, WebhookRow
from tests.making.desk import Desk


def add(desk: Desk, *rows: object) -> None:
    with desk.writing() as work:
        for row in rows:
            work.session.add(row)
            work.session.flush()


def webhook(desk: Desk) -> WebhookRow:
    return WebhookRow(
        id="w1",
        owner="al",
        url="https://x.example/",
        events=[],
        secret="whsec_c2VjcmV0",
        created_by="al",
        created_at=desk.clock.now(),
    )


def delivery(desk: Desk, webhook_id: str) -> DeliveryRow:
    fields = {"type": "webhook.test", "subject": "s", "body": "{}", "state": "waiting"}
    return DeliveryRow(id="m1", webhook_id=webhook_id, created_at=desk.clock.now(), **fields)


def test_a_delivery_belongs_to_a_webhook(desk: Desk) -> None:
    with pytest.raises(IntegrityError):
        add(desk, delivery(desk, "none"))


def test_a_webhook_is_on_and_a_delivery_untried_at_first(desk: Desk) -> None:
    add(desk, webhook(desk), delivery(desk, "w1"))
    assert desk.rows("SELECT disabled_reason, former_secret FROM webhooks") == [("", None)]
    assert desk.rows("SELECT attempts, note, status FROM webhook_deliveries") == [(0, "", None)]
