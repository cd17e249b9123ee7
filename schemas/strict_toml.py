"""Parses TOML from strangers: every failure is a ValueError, and time grows with the text's length alone."""

import tomllib
from typing import Any

LARGEST = 2**20
"""Characters. A manifest, a project file or a recipe is far shorter."""
MOST_DOTS = 300
"""In one line: each dot of a key costs as much as all before it together."""


def parse_toml(text: str) -> dict[str, Any]:
    """The table in ``text``. Raises ValueError for what is no TOML, too large, or nested too deeply.

    ``tomllib`` raises RecursionError for nested arrays. For a key of many names joined by dots it needs time and memory
    that grow with the square of their number: 2.6 s for 40 kB, more memory than most machines have for a megabyte.
    """
    if len(text) > LARGEST:
        raise ValueError(f"it has over {LARGEST >> 20} MiB")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS:
            raise ValueError(f"line {number} has more than {MOST_DOTS} dots: write it as several lines")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
