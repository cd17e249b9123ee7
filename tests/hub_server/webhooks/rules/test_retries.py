"""Tries end."""

from datetime import UTC, datetime, timedelta

from hub_server.webhooks.rules.retries import PAUSES, is_accepted, pause_after, why_disabled

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def test_seven_tries_in_a_day_and_a_half() -> None:
    pauses = [pause_after(attempts) for attempts in range(1, 8)]
    assert pauses[-1] is None
    assert pauses[:-1] == list(PAUSES)
    assert timedelta(hours=24) < sum(PAUSES, timedelta()) < timedelta(hours=36)


def test_only_success_is_acceptance_and_what_is_gone_is_left() -> None:
    assert [status for status in (199, 200, 204, 299, 300, 307, 404, 500) if is_accepted(status)] == [200, 204, 299]
    assert "410" in why_disabled(410, NOW, NOW)
    assert why_disabled(500, NOW - timedelta(days=4), NOW) == ""
    assert "5 days" in why_disabled(None, NOW - timedelta(days=5), NOW)
