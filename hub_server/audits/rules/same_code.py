"""Whether two releases are the same verifier under other names: then both are tries for one letter."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from hub_server.audits.rules.minhash import similarity, without_comments

TOUCHED_UP = 0.5
"""The share of common shingles from which on a verifier is one that its people had before.

Four fifths, as for copies, is left by another number in 1.6 % of its tokens, or by a quarter of code that has no use.
Of the 28 verifiers of the collection, all of one author, no two share more than 0.19, and of the templates of our
importers no two more than 0.36.
"""
_NO_CODE = (".jsonl", ".md", ".toml", ".lock", ".txt")
"""Cases, words and settings: whoever changes them has the same verifier."""


@dataclass(frozen=True)
class Code:
    """A verifier's files: their digest (empty: it has none of its own), and the minima of their shingles."""

    digest: str
    minima: list[int]


def digest_of_code(files: Mapping[str, bytes], import_name: str, source: str = "") -> str:
    """SHA-256 of a package's files by their place in it, its own name and the comments of its code left out.

    A comment would make a new verifier of a short one, which has too few shingles to be known again by them.
    ``source``: what an imported package was made from; its code is the same for all of an importer's packages.
    """
    found = hashlib.sha256(source.encode())
    for path in sorted(path for path in files if not path.endswith(_NO_CODE)):
        inside = path.removeprefix(f"{import_name}/")
        body = files[path].replace(import_name.encode(), b"_its_own_")
        body = without_comments(body) if path.endswith(".py") else body
        found.update(f"{len(inside)}:{inside}:{len(body)}:".encode())
        found.update(body)
    return found.hexdigest()


def is_same_verifier(one: Code, other: Code, *, same_people: bool) -> bool:
    """Whether they have the same code, or are so alike that one of its people only touched it up."""
    if one.digest and one.digest == other.digest:
        return True
    return same_people and similarity(one.minima, other.minima) >= TOUCHED_UP
