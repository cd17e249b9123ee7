"""The tree against RFC 6962's own definition, written down again here as slowly as it reads."""

import hashlib
import itertools

import pytest

from schemas.journal import merkle
from schemas.journal.merkle import (
    EMPTY_ROOT,
    GrowingTree,
    ProofError,
    check_consistency,
    check_inclusion,
    join,
    leaf_hash,
    node_hash,
    nodes_of,
)

SIZES = range(14)


def entries(count: int) -> list[bytes]:
    return [str(number).encode() for number in range(count)]


def root(data: list[bytes]) -> bytes:
    """RFC 6962, 2.1: MTH(D[n])."""
    if not data:
        return hashlib.sha256(b"").digest()
    if len(data) == 1:
        return hashlib.sha256(b"\x00" + data[0]).digest()
    half = 1
    while half * 2 < len(data):
        half *= 2
    return hashlib.sha256(b"\x01" + root(data[:half]) + root(data[half:])).digest()


def path(place: int, data: list[bytes]) -> list[bytes]:
    """RFC 6962, 2.1.1: PATH(m, D[n])."""
    if len(data) <= 1:
        return []
    half = 1
    while half * 2 < len(data):
        half *= 2
    if place < half:
        return [*path(place, data[:half]), root(data[half:])]
    return [*path(place - half, data[half:]), root(data[:half])]


def subproof(old: int, data: list[bytes], is_known: bool) -> list[bytes]:
    """RFC 6962, 2.1.2: SUBPROOF(m, D[n], b)."""
    if old == len(data):
        return [] if is_known else [root(data)]
    half = 1
    while half * 2 < len(data):
        half *= 2
    if old <= half:
        return [*subproof(old, data[:half], is_known), root(data[half:])]
    return [*subproof(old - half, data[half:], False), root(data[:half])]


def of_ranges(spans, data):
    """What a server makes of stored subtrees."""
    return [merkle.join([root(data[i << n : (i + 1) << n]) for n, i in merkle.nodes_of(span)]) for span in spans]


def test_the_root_of_known_trees() -> None:
    """The test vectors of Certificate Transparency's own implementations."""
    inputs = [b"", b"\x00", b"\x10", b"\x20\x21", b"\x30\x31", b"\x40\x41\x42\x43"]
    assert merkle.EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert root(inputs[:1]).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root(inputs[:3]).hex() == "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"
    assert root(inputs[:6]).hex() == "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"
    assert of_ranges([(0, 6)], inputs) == [root(inputs)]


@pytest.mark.parametrize("size", SIZES)
def test_every_proof_of_inclusion_is_the_standards_own_and_holds(size: int) -> None:
    data = entries(size)
    for place in range(size):
        proof = of_ranges(merkle.inclusion_ranges(place, size), data)
        assert proof == path(place, data)
        check_inclusion(merkle.leaf_hash(data[place]), place, size, proof, root(data))


@pytest.mark.parametrize("size", SIZES)
def test_every_proof_of_growth_is_the_standards_own_and_holds(size: int) -> None:
    data = entries(size)
    for old in range(size + 1):
        proof = of_ranges(merkle.consistency_ranges(old, size), data)
        assert proof == (subproof(old, data, True) if 0 < old < size else [])
        check_consistency(old, size, root(data[:old]), root(data), proof)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 11])
def test_no_other_entry_place_root_or_hash_passes(size: int) -> None:
    data = entries(size)
    for place in range(size):
        leaf, proof = merkle.leaf_hash(data[place]), path(place, data)
        wrong = [
            (merkle.leaf_hash(b"other"), place, proof, root(data)),
            (leaf, place, proof, root([*data, b"more"])),
            (leaf, place, [*proof, leaf], root(data)),
            *((leaf, place, [*proof[:i], bytes(32), *proof[i + 1 :]], root(data)) for i in range(len(proof))),
            *((leaf, other, proof, root(data)) for other in range(size) if other != place),
        ]
        for one_leaf, one_place, one_proof, one_root in wrong:
            with pytest.raises(ProofError):
                check_inclusion(one_leaf, one_place, size, one_proof, one_root)


def test_a_rewritten_past_has_no_proof() -> None:
    data = entries(11)
    forged = [*data[:3], b"forged", *data[4:]]
    for old, new in itertools.combinations(range(1, 12), 2):
        proof = subproof(old, forged[:new], True)
        wrong = [(root(data[:old]), root(forged[:new]), proof)] if old > 3 else []
        wrong += [(root(data[:old]), bytes(32), proof), (bytes(32), root(forged[:new]), proof)]
        wrong += [(root(forged[:old]), root(forged[:new]), [*proof[:-1], bytes(32)])]
        for before, after, hashes in wrong:
            with pytest.raises(ProofError):
                check_consistency(old, new, before, after, hashes)


def test_sizes_that_cannot_be_are_refused() -> None:
    for place, size in [(-1, 3), (3, 3), (0, 0)]:
        with pytest.raises(ProofError):
            merkle.inclusion_ranges(place, size)
    for old, new in [(-1, 3), (4, 3)]:
        with pytest.raises(ProofError):
            merkle.consistency_ranges(old, new)
    with pytest.raises(ProofError):
        check_consistency(0, 2, bytes(32), root(entries(2)), [])


def test_a_tree_that_grows_has_the_root_of_the_standards_definition() -> None:
    tree = GrowingTree()
    entries = [bytes([number]) * number for number in range(70)]
    assert tree.root == EMPTY_ROOT
    for size, entry in enumerate(entries, start=1):
        tree.add(entry)
        spans = nodes_of((0, size))
        assert tree.size == size
        assert tree.root == join([_subtree(entries[i << level : (i + 1) << level]) for level, i in spans])


def _subtree(entries: list[bytes]) -> bytes:
    if len(entries) == 1:
        return leaf_hash(entries[0])
    half = len(entries) // 2
    return node_hash(_subtree(entries[:half]), _subtree(entries[half:]))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 13])
def test_a_tree_goes_on_from_the_hashes_of_its_complete_subtrees(size: int) -> None:
    entries = [str(number).encode() for number in range(20)]

    def grown(count: int) -> merkle.GrowingTree:
        tree = merkle.GrowingTree()
        for entry in entries[:count]:
            tree.add(entry)
        return tree

    tree = merkle.GrowingTree.grown(size, [found for _, found in grown(size)._edge])
    for entry in entries[size:]:
        tree.add(entry)
    assert (tree.size, tree.root) == (20, grown(20).root)
