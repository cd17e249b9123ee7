"""Which cases of a large suite a release is measured on: a sample chosen by a secret of the hub.

Every release gets another sample, so that nobody can fit a verifier to the cases that were drawn before.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
MOST_OF_SUITE = 500  # chosen
"""Cases of one suite, or of one file that the hub holds, that one audit runs."""


def sample_cases(items: Sequence[Item], names: Sequence[str], count: int, secret: str) -> list[Item]:
    """At most ``count`` of the items, in their order: those whose names have the smallest HMAC under ``secret``."""
    keys = [hmac.new(secret.encode(), name.encode(), hashlib.sha256).digest() for name in names]
    chosen = sorted(range(len(items)), key=keys.__getitem__)[:count]
    return [items[index] for index in sorted(chosen)]
