"""Titles and names that somebody wrote: one line, without what changes how the text around it is read."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

MARKS = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
"""For a regular expression: letters that turn the order of what is read, and line separators. Scripts that are written
from right to left need none of them, and joiners (U+200C, U+200D), which some scripts need, are no such letters."""
_REFUSED = rf"\x00-\x1f\x7f-\x9f{MARKS}"
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and a sign by their category, drawn as nothing: the fillers of Hangul, and Braille without dots."""
_HAS_REFUSED = re.compile(f"[{_REFUSED}]")


def check_line(text: str) -> str:
    """``text``, or ``ValueError`` where it holds a line break, a terminal's escape or a mark that turns letters round.

    A page escapes HTML and shows these, and a program that writes the name to a terminal or a log obeys them. Nor is
    it made of nothing but letters that nobody sees: a link with such a name cannot be found, or clicked.
    """
    found = _HAS_REFUSED.search(text)
    if found is not None:
        raise ValueError(f"it is one line of letters, without control characters such as U+{ord(found[0]):04X}")
    if text and not any(map(_is_seen, text)):
        raise ValueError("nothing of it can be seen: write letters that can be read")
    return text


def _is_seen(letter: str) -> bool:
    """Not a space, a mark upon another letter, or a sign without a shape (Unicode's categories Z, M and C)."""
    return unicodedata.category(letter)[0] not in "ZMC" and letter not in _BLANK


_FOR_READERS = Field(json_schema_extra={"pattern": f"^[^{_REFUSED}]*$"})
Line = Annotated[str, AfterValidator(check_line), _FOR_READERS]
"""A name of a run, model, token or other thing, as somebody wrote it."""
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=120),
    AfterValidator(check_line),
    _FOR_READERS,
]
