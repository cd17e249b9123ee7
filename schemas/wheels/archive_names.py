"""Which names a file inside a wheel may have, on every system that will ever unpack it."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import accumulate

from schemas.wheels.wheel_error import ProblemList

MAX_PART_BYTES = 200  # usual file systems take 255; temporary names are longer than the final ones
MAX_PATH_BYTES = 400  # chosen: with the folder before it far below Linux's 4,096

# Also with superscript digits, and with spaces before the extension: Windows drops those.
_WINDOWS_DEVICE = re.compile(r"(?:conin\$|conout\$|con|prn|aux|nul|(?:com|lpt)[\d¹²³]) *(?:\..*)?", re.IGNORECASE)
_WINDOWS_FORBIDDEN = frozenset('<>:"|?*')


def name_fault(name: str) -> str:
    """What is wrong with ``name`` as a path inside a wheel, as a sentence with a remedy; empty when it is fine."""
    if not name or len(name.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"a path must have 1 to {MAX_PATH_BYTES} bytes: use a shorter name"
    if "\\" in name:
        return "has a backslash: separate folders with /"
    if any(not char.isprintable() for char in name):
        return "has a control or unprintable character: rename the file"
    if unicodedata.normalize("NFC", name) != name:
        return "is not in Unicode normal form C, so systems would disagree about it: rename the file"
    if name.startswith("/"):
        return "is absolute: a wheel holds relative paths only"
    return next((fault for fault in map(_part_fault, name.split("/")) if fault), "")


def _part_fault(part: str) -> str:
    if part in ("", ".", ".."):
        return "has an empty, . or .. part: a wheel holds plain relative paths only"
    if part.endswith((".", " ")) or _WINDOWS_FORBIDDEN & set(part) or _WINDOWS_DEVICE.fullmatch(part):
        return f"the part {part!r} cannot exist on Windows: rename it"
    if len(part.encode()) > MAX_PART_BYTES:
        return f"one part has more than {MAX_PART_BYTES} bytes: use a shorter name"
    return ""


def check_names(names: Iterable[str], problems: ProblemList) -> None:
    """Note every unfit name, every name twice (also up to case), and every file that is also a folder."""
    seen: dict[str, str] = {}
    folders: set[str] = set()
    for name in names:
        if fault := name_fault(name):
            problems.add(name, fault)
            continue
        key = _folded(name)
        if key in seen:
            how = "is in the archive twice" if seen[key] == name else f"differs from {seen[key]} only in case"
            problems.add(name, f"{how}: keep one")
        seen[key] = name
        folders.update(list(accumulate(key.split("/"), "{}/{}".format))[:-1])
    for key in sorted(folders & seen.keys()):
        problems.add(seen[key], "is a file and a folder at once: keep one")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
