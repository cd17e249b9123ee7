"""E-mail addresses: what is taken for one, and whether a text holds one."""

import re
from typing import Annotated

from pydantic import StringConstraints

_PATTERN = r"^[^@\s]+@[^@\s]+$"
Email = Annotated[str, StringConstraints(pattern=_PATTERN, max_length=254)]
"""One @ between two words: only a mail that arrives shows more. RFC 5321 leaves 254 characters for an address."""


def is_email(text: str) -> bool:
    """Whether ``text`` is meant as an e-mail address where the name of an account may stand too."""
    return re.fullmatch(_PATTERN, text) is not None


def holds_email(text: str) -> bool:
    """Whether a part of ``text`` may be an e-mail address. Any @ counts: no reader may be shown somebody's address."""
    return "@" in text
