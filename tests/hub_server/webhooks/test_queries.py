"""The statements about webhooks find what they should by an index, and forget only what has ended."""

from datetime import timedelta

from hub_server.webhooks import queries
from tests.hub_server.webhooks.test_models import add, delivery, webhook
from tests.making.desk import Desk


def test_only_webhooks_that_are_on_listen(desk: Desk) -> None:
    add(desk, webhook(desk))
    with desk.writing() as work:
        assert [row.id for row in queries.listening(work.session, {"al", "bo"})] == ["w1"]
        assert queries.listening(work.session, {"bo"}) == []
        queries.webhooks_of(work.session, "al")[0].disabled_reason = "gone"
        work.session.flush()
        assert queries.listening(work.session, {"al"}) == []


def test_waiting_messages_are_counted_and_failed_together(desk: Desk) -> None:
    add(desk, webhook(desk), delivery(desk, "w1"))
    with desk.writing() as work:
        assert queries.count_waiting(work.session, ["w1", "w2"]) == {"w1": 1}
        queries.fail_waiting(work.session, "w1", "off")
        assert queries.count_waiting(work.session, ["w1"]) == {}


def test_what_waits_is_not_forgotten(desk: Desk) -> None:
    add(desk, webhook(desk), delivery(desk, "w1"))
    later = desk.clock.now() + timedelta(days=99)
    with desk.writing() as work:
        queries.forget_before(work.session, later, later)
    assert desk.rows("SELECT count(*) FROM webhook_deliveries") == [(1,)]
    with desk.writing() as work:
        queries.fail_waiting(work.session, "w1", "off")
        queries.forget_before(work.session, later, later)
    assert desk.rows("SELECT count(*) FROM webhook_deliveries") == [(0,)]


def test_counting_what_waits_reads_no_message_that_arrived(desk: Desk) -> None:
    plan = desk.plan_of("SELECT count(*) FROM webhook_deliveries WHERE webhook_id IN ('w1') AND state = 'waiting'")
    assert "ix_webhook_deliveries_webhook_id_state" in plan
