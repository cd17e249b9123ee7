"""A body names what happened."""

import json
from datetime import UTC, datetime

from hub_server.webhooks.rules.bodies import body_of, body_of_test
from schemas.events import Event, EventKind

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
EVENT = Event(position=7, kind=EventKind.RELEASE_YANKED, at=NOW, owner="al", package="al/x", version="1.0.0")


def test_a_body_names_what_happened() -> None:
    assert json.loads(body_of(EVENT)) == {
        "type": "release.yanked",
        "timestamp": "2026-11-25T12:00:00+00:00",
        "data": {"position": 7, "owner": "al", "package": "al/x", "version": "1.0.0", "facts": {}},
    }
    assert json.loads(body_of_test("w", NOW))["type"] == "webhook.test"
