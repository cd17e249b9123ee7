"""Signatures are those of the public scheme, and tries end."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from hub_server.webhooks.rules import (
    PAUSES,
    body_of,
    body_of_test,
    headers_of,
    is_accepted,
    new_secret,
    pause_after,
    why_disabled,
    why_not_url,
)
from schemas.events import Event, EventKind

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
EVENT = Event(position=7, kind=EventKind.RELEASE_YANKED, at=NOW, owner="al", package="al/x", version="1.0.0")


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example/x?y=z",
        "http://hooks.example:8080",
        "https://1.2.3.4/",
        "https://[2606:4700::1]:8443/a",
        "https://xn--bcher-kva.example/",
    ],
)
def test_addresses_of_the_web_are_taken(url: str) -> None:
    assert why_not_url(url) == ""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://x.example/", "begins with https"), ("https:///x", "names a host"), ("https://", "names a host"),
        ("https://user@x.example/", "no user name"), ("https://a:b@x.example/", "no user name"), ("https://x.example/#f", "fragment"),
        ("https://x.example:22/", "Port 22"), ("https://x.example:99999/", "no address"), ("https://[::1/", "no address"),
        ("https://x.example:a/", "no address"),
    ],
)  # fmt: skip
def test_others_are_refused_in_words(url: str, said: str) -> None:
    assert said in why_not_url(url)


def test_a_signature_is_the_schemes_own() -> None:
    """Computed here from the text of the scheme, without its library."""
    secret, body = new_secret(), body_of(EVENT)
    headers = headers_of("m1", NOW, body, [secret])
    signed = f"m1.{int(NOW.timestamp())}.{body}".encode()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    assert len(key) == 32
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_a_receiver_takes_a_message_signed_with_either_secret_and_no_other() -> None:
    now, body, old, new = datetime.now(UTC), body_of(EVENT), new_secret(), new_secret()
    headers = headers_of("m1", now, body, [new, old])
    for secret in (old, new):
        assert Webhook(secret).verify(body, headers)["type"] == "release.yanked"
    for wrong_body, wrong_headers, secret in (
        (body + " ", headers, new),
        (body, {**headers, "webhook-id": "m2"}, new),
        (body, {**headers, "webhook-timestamp": str(int(now.timestamp()) + 1)}, new),
        (body, headers, new_secret()),
        (body, headers_of("m1", now - timedelta(minutes=6), body, [new]), new),  # replayed later
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(wrong_body, wrong_headers)


def test_a_body_names_what_happened() -> None:
    assert json.loads(body_of(EVENT)) == {
        "type": "release.yanked",
        "timestamp": "2026-11-25T12:00:00+00:00",
        "data": {"position": 7, "owner": "al", "package": "al/x", "version": "1.0.0", "facts": {}},
    }
    assert json.loads(body_of_test("w", NOW))["type"] == "webhook.test"


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
