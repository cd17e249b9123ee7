"""The Merkle tree of RFC 6962: one hash for a list that only grows, and short proofs of what is in it.

Hashes are 32 bytes (SHA-256). ``size`` is a number of entries, ``position`` counts from 0. A *range* ``(start, end)``
of entries that a proof names is always one subtree; :func:`nodes_of` splits it into complete subtrees, which are what a
server stores: node ``(level, index)`` covers the ``2**level`` entries from ``index * 2**level`` on.
"""

import hashlib
from collections.abc import Sequence
from typing import Self

EMPTY_ROOT = hashlib.sha256(b"").digest()
HASH_BYTES = 32  # SHA-256
Range = tuple[int, int]
Node = tuple[int, int]


class ProofError(ValueError):
    """A proof that does not show what it should."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one entry."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees that lie side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def nodes_of(span: Range) -> list[Node]:
    """The complete subtrees that a range consists of, from left to right; their hashes go to :func:`join`."""
    start, end = span
    nodes = []
    while start < end:
        level = (end - start).bit_length() - 1
        nodes.append((level, start >> level))
        start += 1 << level
    return nodes


def join(hashes: Sequence[bytes]) -> bytes:
    """The hash of a range from the hashes of its complete subtrees."""
    if not hashes:
        return EMPTY_ROOT
    result = hashes[-1]
    for left in reversed(hashes[:-1]):
        result = node_hash(left, result)
    return result


class GrowingTree:
    """The root of a list that is read from its beginning. Holds one hash for each complete subtree, and no entry."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[tuple[int, bytes]] = []
        """(level, hash) of complete subtrees without a right neighbour, the largest first."""

    @classmethod
    def grown(cls, size: int, hashes: Sequence[bytes]) -> Self:
        """A tree of ``size`` entries. ``hashes``: of its complete subtrees, as :func:`nodes_of` names them."""
        tree = cls()
        tree.size = size
        tree._edge = [(level, found) for (level, _), found in zip(nodes_of((0, size)), hashes, strict=True)]
        return tree

    def add(self, entry: bytes) -> None:
        """Add the next entry."""
        level, found = 0, leaf_hash(entry)
        while self._edge and self._edge[-1][0] == level:
            level, found = level + 1, node_hash(self._edge.pop()[1], found)
        self._edge.append((level, found))
        self.size += 1

    @property
    def root(self) -> bytes:
        """The root of all entries so far."""
        return join([found for _, found in self._edge])


def inclusion_ranges(position: int, size: int) -> list[Range]:
    """The ranges whose hashes prove that an entry is in the tree of ``size`` entries (RFC 6962, 2.1.1)."""
    if not 0 <= position < size:
        raise ProofError(f"there is no entry {position} among {size}")
    found: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _half(end - start)
        if position < middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((start, middle))
            start = middle
    return found[::-1]


def consistency_ranges(old: int, new: int) -> list[Range]:
    """The ranges whose hashes prove that the first ``old`` of ``new`` entries are the same (RFC 6962, 2.1.2)."""
    if not 0 <= old <= new:
        raise ProofError(f"a tree of {old} entries is not the beginning of one of {new}")
    if old in (0, new):
        return []
    found: list[Range] = []
    start, end, is_known = 0, new, True
    while old != end:
        middle = start + _half(end - start)
        if old <= middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((start, middle))
            start, is_known = middle, False
    return found[::-1] if is_known else [(start, end), *found[::-1]]


def check_inclusion(leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise :class:`ProofError` unless ``proof`` shows ``leaf`` at ``position`` of the tree with this root."""
    ranges = inclusion_ranges(position, size)
    if len(ranges) != len(proof):
        raise ProofError(f"the proof has {len(proof)} hashes where {len(ranges)} belong")
    found = leaf
    for (start, _), other in zip(ranges, proof, strict=True):
        found = node_hash(found, other) if start > position else node_hash(other, found)
    if found != root:
        raise ProofError(f"entry {position} is not in the tree of {size} entries")


def check_consistency(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Raise :class:`ProofError` unless ``proof`` shows that the tree of ``old`` entries is the new one's beginning."""
    ranges = consistency_ranges(old, new)
    if len(ranges) != len(proof):
        raise ProofError(f"the proof has {len(proof)} hashes where {len(ranges)} belong")
    if old == 0:
        is_shown = old_root == EMPTY_ROOT and (new > 0 or new_root == EMPTY_ROOT)
    elif old == new:
        is_shown = old_root == new_root
    else:
        is_shown = _roots(old, ranges, proof, old_root) == (old_root, new_root)
    if not is_shown:
        raise ProofError(f"the tree of {old} entries is not the beginning of the tree of {new}")


def _roots(old: int, ranges: Sequence[Range], proof: Sequence[bytes], old_root: bytes) -> tuple[bytes, bytes]:
    """The roots of the old and the new tree that follow from a proof of consistency."""
    hashes = list(zip(ranges, proof, strict=True))
    if ranges[0][1] == old:  # the old tree ends inside: its last subtree is the first hash
        before = after = hashes.pop(0)[1]
    else:  # the old tree is one subtree of the new one, which the verifier knows
        before = after = old_root
    for (start, _), other in hashes:
        if start >= old:
            after = node_hash(after, other)
        else:
            before, after = node_hash(other, before), node_hash(other, after)
    return before, after


def _half(size: int) -> int:
    """The largest power of two that is smaller than ``size``, which is at least 2."""
    half: int = 1 << ((size - 1).bit_length() - 1)
    return half
