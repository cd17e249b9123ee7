"""Makes strangers' text safe for a terminal: control sequences are shown, not executed."""

import json
import re
from typing import Any

from schemas.titles import MARKS

# Control characters but newline and tab; C1; marks that reorder what is read; line separators; halves of a pair.
_UNSAFE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{MARKS}\ud800-\udfff]")


def printable(text: str) -> str:
    """``text`` with each character that a terminal acts on written out, for instance as ``\\x1b``. Lines stay lines."""
    return _UNSAFE.sub(_written_out, text.replace("\r\n", "\n"))


def printable_json(data: Any, *, indent: int | None = None) -> str:
    """``data`` as JSON that any terminal may show and any reader reads back as it was."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(data, ensure_ascii=False, indent=indent))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
