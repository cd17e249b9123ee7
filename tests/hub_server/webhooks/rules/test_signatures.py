"""Signatures are those of the public scheme."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from hub_server.webhooks.rules.bodies import body_of
from hub_server.webhooks.rules.signatures import headers_of, new_secret
from schemas.events import Event, EventKind

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
EVENT = Event(position=7, kind=EventKind.RELEASE_YANKED, at=NOW, owner="al", package="al/x", version="1.0.0")


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
