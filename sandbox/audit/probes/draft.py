"""One generated case before it gets its id."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Draft:
    """Fields that are None are left out of the call."""

    task: dict[str, Any]
    response: str | None = None
    files: dict[str, str] | None = None
    messages: list[dict[str, Any]] | None = None
    note: str = ""
    state: dict[str, Any] | None = None
    way: str = ""
    """In which of a family's ways it is made. A way that a verifier judges wrongly is tried on more cases."""
    plain: str | None = None
    """What the labelled case said of which it is made; None where it is made of none. No part of the call."""
