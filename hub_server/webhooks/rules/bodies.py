"""The body of a message: JSON with type, time and data, as the Standard Webhooks scheme has it."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from schemas.events import Event
from schemas.webhooks import TEST


def body_of(event: Event) -> str:
    """The message about an event."""
    data = event.model_dump(mode="json", exclude={"kind", "at"}, exclude_none=True)
    return _body(event.kind.value, event.at, data)


def body_of_test(webhook_id: str, now: datetime) -> str:
    """The message that only tries a webhook."""
    return _body(TEST, now, {"webhook": webhook_id})


def _body(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    return json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}, separators=(",", ":"))
