"""The public keys with which a hub signs."""

from datetime import datetime
from typing import Literal

from schemas.base import WireModel


class SigningKey(WireModel):
    """A public key with which a hub signs. Retired keys stay in the list."""

    id: str
    public_key: str
    """The raw Ed25519 key in base64."""
    algorithm: Literal["ed25519"] = "ed25519"
    first_used_at: datetime | None = None
    introduction: str = ""
    """A signed note in which the key before it and this one name each other; empty for the first key."""
    is_current: bool = False


class SigningKeys(WireModel):
    """Every key of a hub, the current one first."""

    items: list[SigningKey]
