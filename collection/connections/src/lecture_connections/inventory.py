"""Categories and their words. A category belongs to one split, and so does every word."""

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def categories() -> dict[str, dict[str, frozenset[str]]]:
    """Split -> category -> all its words."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for line in (Path(__file__).parent / "inventory.txt").read_text().splitlines():
        if line.startswith("# "):
            found[line[2:]] = {}
        else:
            name, _, words = line.partition(": ")
            found[list(found)[-1]][name] = frozenset(words.split())
    return found


@lru_cache(maxsize=1)
def every_category() -> dict[str, frozenset[str]]:
    """The categories of all splits: what a word may belong to on any board."""
    return {name: words for of_split in categories().values() for name, words in of_split.items()}
