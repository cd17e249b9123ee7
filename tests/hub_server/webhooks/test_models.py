"""What the tables themselves hold to."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.webhooks.models import DeliveryRow, WebhookRow
from tests.making.action_driver import ActionDriver


def add(driver: ActionDriver, *rows: object) -> None:
    with driver.writing() as work:
        for row in rows:
            work.session.add(row)
            work.session.flush()


def webhook(driver: ActionDriver) -> WebhookRow:
    return WebhookRow(
        id="w1",
        owner="al",
        url="https://x.example/",
        events=[],
        secret="whsec_c2VjcmV0",
        created_by="al",
        created_at=driver.clock.now(),
    )


def delivery(driver: ActionDriver, webhook_id: str) -> DeliveryRow:
    fields = {"type": "webhook.test", "subject": "s", "body": "{}", "state": "waiting"}
    return DeliveryRow(id="m1", webhook_id=webhook_id, created_at=driver.clock.now(), **fields)


def test_a_delivery_belongs_to_a_webhook(driver: ActionDriver) -> None:
    with pytest.raises(IntegrityError):
        add(driver, delivery(driver, "none"))


def test_a_webhook_is_on_and_a_delivery_untried_at_first(driver: ActionDriver) -> None:
    add(driver, webhook(driver), delivery(driver, "w1"))
    assert driver.rows("SELECT disabled_reason, former_secret FROM webhooks") == [("", None)]
    assert driver.rows("SELECT attempts, note, status FROM webhook_deliveries") == [(0, "", None)]
