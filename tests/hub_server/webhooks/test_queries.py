"""The statements about webhooks find what they should by an index, and forget only what has ended."""

from datetime import timedelta

from hub_server.webhooks import queries
from tests.hub_server.webhooks.test_models import add, delivery, webhook
from tests.making.action_driver import ActionDriver


def test_only_webhooks_that_are_on_listen(driver: ActionDriver) -> None:
    add(driver, webhook(driver))
    with driver.writing() as work:
        assert [row.id for row in queries.listening(work.session, {"al", "bo"})] == ["w1"]
        assert queries.listening(work.session, {"bo"}) == []
        queries.webhooks_of(work.session, "al")[0].disabled_reason = "gone"
        work.session.flush()
        assert queries.listening(work.session, {"al"}) == []


def test_waiting_messages_are_counted_and_failed_together(driver: ActionDriver) -> None:
    add(driver, webhook(driver), delivery(driver, "w1"))
    with driver.writing() as work:
        assert queries.count_waiting(work.session, ["w1", "w2"]) == {"w1": 1}
        queries.fail_waiting(work.session, "w1", "off")
        assert queries.count_waiting(work.session, ["w1"]) == {}


def test_what_waits_is_not_forgotten(driver: ActionDriver) -> None:
    add(driver, webhook(driver), delivery(driver, "w1"))
    later = driver.clock.now() + timedelta(days=99)
    with driver.writing() as work:
        queries.forget_before(work.session, later, later)
    assert driver.rows("SELECT count(*) FROM webhook_deliveries") == [(1,)]
    with driver.writing() as work:
        queries.fail_waiting(work.session, "w1", "off")
        queries.forget_before(work.session, later, later)
    assert driver.rows("SELECT count(*) FROM webhook_deliveries") == [(0,)]


def test_counting_what_waits_reads_no_message_that_arrived(driver: ActionDriver) -> None:
    plan = driver.plan_of("SELECT count(*) FROM webhook_deliveries WHERE webhook_id IN ('w1') AND state = 'waiting'")
    assert "ix_webhook_deliveries_webhook_id_state" in plan
