"""What is decided about webhooks without a database: addresses, secrets, signatures, when to try again.

Messages are signed by the Standard Webhooks scheme (https://www.standardwebhooks.com): HMAC-SHA256 over
``id.timestamp.body``, by the project's own library.
"""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from standardwebhooks.webhooks import Webhook as Signer

from schemas.events import Event
from schemas.webhooks import TEST

MOST_OF_OWNER = 20
MOST_WAITING = 1000
"""A webhook with so many messages that did not arrive is switched off: its receiver can read ``GET /events``."""
OVERLAP = timedelta(hours=24)
"""How long messages are signed with the former secret too."""
PAUSES = tuple(timedelta(seconds=s) for s in (5, 60, 600, 3600, 6 * 3600, 24 * 3600))
"""Before each further try: seven in 31 hours."""
DISABLED_AFTER = timedelta(days=5)
"""A webhook is switched off by a failure when nothing has arrived for so long."""
KEPT = timedelta(days=30)
"""How long the log remembers a delivery."""
GONE = 410
_SECRET_BYTES = 32


def why_not_url(url: str) -> str:
    """What is wrong with an address as such, in one sentence; empty when nothing is. Nothing is resolved."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "This is no address."
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "An address begins with https:// (or http://) and names a host."
    if "@" in parts.netloc:
        return "An address holds no user name: the signature says that a message is the hub's."
    if parts.fragment:
        return "A fragment (#…) is never sent: leave it out."
    if port is not None and port not in (80, 443) and port < 1024:
        return f"Port {port} is that of another service: use 443, 80, or one from 1024 on."
    return ""


def new_secret() -> str:
    """A fresh secret: ``whsec_`` and 32 random bytes in base64."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def body_of(event: Event) -> str:
    """The message about an event."""
    data = event.model_dump(mode="json", exclude={"kind", "at"}, exclude_none=True)
    return _body(event.kind.value, event.at, data)


def body_of_test(webhook_id: str, now: datetime) -> str:
    """The message that only tries a webhook."""
    return _body(TEST, now, {"webhook": webhook_id})


def _body(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    return json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}, separators=(",", ":"))


def headers_of(message_id: str, now: datetime, body: str, keys: Sequence[str]) -> dict[str, str]:
    """The headers of a message, with one signature for each of ``keys``."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "Verihub-Webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(Signer(key).sign(message_id, now, body) for key in keys),
    }


def is_accepted(status: int) -> bool:
    """Whether the receiver took the message. A redirect is no acceptance, and is not followed."""
    return 200 <= status < 300


def pause_after(attempts: int) -> timedelta | None:
    """How long to wait after so many tries that failed; None: it is given up."""
    return PAUSES[attempts - 1] if attempts <= len(PAUSES) else None


def why_disabled(status: int | None, failing_since: datetime, now: datetime) -> str:
    """Why a failure switches the webhook off, in one sentence; empty when it does not."""
    if status == GONE:
        return "Its receiver answered 410 (gone)."
    if now - failing_since >= DISABLED_AFTER:
        return f"Nothing arrived for {DISABLED_AFTER.days} days."
    return ""
