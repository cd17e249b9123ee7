"""Which cases of a large suite a release is measured on: drawn by a secret of the hub, anew for every release."""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def drawn(items: Sequence[Item], names: Sequence[str], count: int, secret: str) -> list[Item]:
    """At most ``count`` of the items, in their order: those whose names have the smallest HMAC under ``secret``."""
    keys = [hmac.new(secret.encode(), name.encode(), hashlib.sha256).digest() for name in names]
    chosen = sorted(range(len(items)), key=keys.__getitem__)[:count]
    return [items[index] for index in sorted(chosen)]
