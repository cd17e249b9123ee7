"""How a message is signed, and with which secrets.

The scheme is Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over ``id.timestamp.body``, computed by
that project's own library.
"""

import base64
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from standardwebhooks.webhooks import Webhook as Signer

OVERLAP = timedelta(hours=24)
"""After a new secret was made, messages are signed with the former one too for so long."""
_SECRET_BYTES = 32  # as many as the HMAC's SHA-256 gives


def new_secret() -> str:
    """A fresh secret: ``whsec_`` and 32 random bytes in base64."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def headers_of(message_id: str, now: datetime, body: str, keys: Sequence[str]) -> dict[str, str]:
    """The headers of a message, with one signature for each of ``keys``."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "Verihub-Webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(Signer(key).sign(message_id, now, body) for key in keys),
    }
