"""What is decided about entries and keys without a database."""

from collections.abc import Mapping, Sequence

from schemas.journal.merkle import Node, Range, join, nodes_of


def origin_of(first_key_id: str) -> str:
    """The journal's name: that of the first key that the hub ever signed with. It outlives addresses and keys."""
    return f"verihub/{first_key_id}"


def hash_of(span: Range, hashes: Mapping[Node, str]) -> bytes:
    """The hash of a range of entries. Raises ``KeyError`` where a node is missing."""
    return join([bytes.fromhex(hashes[node]) for node in nodes_of(span)])


def nodes_in(spans: Sequence[Range]) -> list[Node]:
    """Every node that these ranges consist of."""
    return [node for span in spans for node in nodes_of(span)]
