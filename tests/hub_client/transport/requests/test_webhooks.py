"""Calls about webhooks: where each goes, and which would be done twice if they were sent twice."""

import json

import pytest

from hub_client.transport.requests import webhooks
from schemas.events import EventKind
from schemas.webhooks import WebhookCreate

HOOK = WebhookCreate(owner="alice", url="https://hooks.example/", events=[EventKind.CASE_COUNTS])


@pytest.mark.parametrize(
    ("call", "method", "path", "repeatable"),
    [
        (webhooks.add_webhook(HOOK), "POST", "/webhooks", False),
        (webhooks.list_webhooks("alice"), "GET", "/webhooks", True),
        (webhooks.remove_webhook("w1"), "DELETE", "/webhooks/w1", True),
        (webhooks.rotate_secret("w1"), "POST", "/webhooks/w1/secret", False),
        (webhooks.enable_webhook("w1"), "POST", "/webhooks/w1/enable", False),
        (webhooks.send_test("w1"), "POST", "/webhooks/w1/test", False),
        (webhooks.list_deliveries("w1"), "GET", "/webhooks/w1/deliveries", True),
        (webhooks.send_again("w1", "m1"), "POST", "/webhooks/w1/deliveries/m1/again", False),
    ],
)
def test_where_each_call_goes_and_that_no_second_secret_is_made(call, method, path, repeatable) -> None:
    assert (call.method, call.path.removeprefix("/api/v1"), call.is_repeatable) == (method, path, repeatable)


def test_the_body_is_what_was_asked_for() -> None:
    content = webhooks.add_webhook(HOOK).content
    assert json.loads(content or b"{}") == {
        "owner": "alice",
        "url": "https://hooks.example/",
        "events": ["case.counts"],
    }
