"""What a project's CHANGELOG.md says of one version."""

import re

from schemas.names import InvalidNameError, canonical_version

CHANGELOG_NAME = "CHANGELOG.md"
MOST_NOTES_CHARACTERS = 10_000  # chosen, not measured: a page shows one for each release
_HEADING = re.compile(r"(#{1,4})[ \t]+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_VERSION = re.compile(r"\[?v?(\d[0-9a-zA-Z.+!_-]*)\]?")


def notes_of(changelog: str, version: str) -> str:
    """The text below the heading of ``version`` (``## 1.2.0``, ``## [1.2.0] - 2026-11-27``), as Markdown; else empty.

    It ends at the next heading of the same level or a higher one. Headings inside of fenced code are none.
    """
    found: list[str] = []
    level, fence = 0, ""
    for line in changelog.splitlines():
        heading = None if fence else _HEADING.match(line)
        if heading is not None and level and len(heading[1]) <= level:
            break
        if heading is not None and not level and _names(heading[2], version):
            level = len(heading[1])
            continue
        fence = _fence_after(line, fence)
        if level:
            found.append(line)
    text = "\n".join(found).strip()
    return text if len(text) <= MOST_NOTES_CHARACTERS else text[:MOST_NOTES_CHARACTERS].rpartition("\n")[0] + "\n\n…"


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open behind ``line``, or empty."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and not line.strip().strip(fence[0]) else fence


def _names(heading: str, version: str) -> bool:
    first = _VERSION.match(heading.split(maxsplit=1)[0])
    if first is None:
        return False
    try:
        return canonical_version(first[1].rstrip(".")) == version
    except InvalidNameError:
        return False
