"""The journal's roots and proofs are those of RFC 6962, sections 2.1 to 2.1.2, written down as the text has them."""

import base64
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from hub_server.database.journal import JournalEntryRow, NewEntry, nodes_at, record
from hub_server.journal import actions as journal
from hub_server.journal.actions import proofs
from hub_server.journal.rules import hash_of, nodes_in
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal import merkle
from schemas.journal.signed_note import SignedNote

MOST = 70  # around 1, 2, 4, 8, 16, 32, 64


# -- the reference: D[n] is a list of entries; k is the largest power of two smaller than n ----------------------------


def split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def mth(entries: list[bytes]) -> bytes:
    """MTH(D[n]), section 2.1."""
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    k = split(len(entries))
    return hashlib.sha256(b"\x01" + mth(entries[:k]) + mth(entries[k:])).digest()


def path(m: int, entries: list[bytes]) -> list[bytes]:
    """PATH(m, D[n]), section 2.1.1."""
    if len(entries) == 1:
        return []
    k = split(len(entries))
    if m < k:
        return [*path(m, entries[:k]), mth(entries[k:])]
    return [*path(m - k, entries[k:]), mth(entries[:k])]


def subproof(m: int, entries: list[bytes], *, is_whole: bool) -> list[bytes]:
    """SUBPROOF(m, D[n], b), section 2.1.2."""
    if m == len(entries):
        return [] if is_whole else [mth(entries)]
    k = split(len(entries))
    if m <= k:
        return [*subproof(m, entries[:k], is_whole=is_whole), mth(entries[k:])]
    return [*subproof(m - k, entries[k:], is_whole=False), mth(entries[:k])]


# -- the hub -----------------------------------------------------------------------------------------------------------


def statements(count: int) -> list[bytes]:
    return [f"entry {number}".encode() for number in range(count)]


@contextmanager
def reading(hub: Services) -> Iterator[UnitOfWork]:
    with hub.database.reading() as session:
        yield UnitOfWork(session, hub)


def add(hub: Services, said: list[bytes]) -> None:
    with hub.database.writing() as session:
        for statement in said:
            record(session, NewEntry("publish", None, None, hub.clock.now(), statement, "key", "signature"))


def stored_hashes(hub: Services, spans: list[merkle.Range]) -> list[bytes]:
    with reading(hub) as work:
        stored = nodes_at(work.session, nodes_in(spans))
    return [hash_of(span, stored) for span in spans]


def signed_root(hub: Services) -> tuple[int, bytes]:
    with hub.database.writing() as session:  # the first time, it remembers its key
        lines = SignedNote.parse(journal.get_checkpoint(UnitOfWork(session, hub))).text.split("\n")
    return int(lines[1]), base64.b64decode(lines[2])


@pytest.fixture
def grown(services: Services) -> Services:
    """A journal of ``MOST`` entries, appended in transactions of one, two, three … entries."""
    said = statements(MOST)
    while said:
        count = min(len(said), MOST - len(said) + 1, 9)
        add(services, said[:count])
        said = said[count:]
    return services


def test_every_root_and_proof_up_to_a_size_is_the_reference_one(grown: Services) -> None:
    entries = statements(MOST)
    assert signed_root(grown) == (MOST, mth(entries))
    with reading(grown) as work:
        faults = list(proofs.tree_faults(work))
    assert len(faults) == MOST, "each says that such text is no entry, and none that the tree is wrong"

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(1, MOST), st.data())
    def check(size: int, data: st.DataObject) -> None:
        position = data.draw(st.integers(0, size - 1))
        old = data.draw(st.integers(0, size))
        begun = entries[:size]
        assert stored_hashes(grown, [(0, size), (0, old)]) == [mth(begun), mth(entries[:old])]
        assert stored_hashes(grown, merkle.inclusion_ranges(position, size)) == path(position, begun)
        expected = subproof(old, begun, is_whole=True) if old else []
        with reading(grown) as work:
            found = journal.get_consistency(work, old, size).hashes
        assert [base64.b64decode(text) for text in found] == expected
        merkle.check_inclusion(merkle.leaf_hash(begun[position]), position, size, path(position, begun), mth(begun))
        merkle.check_consistency(old, size, mth(entries[:old]), mth(begun), expected)

    check()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 33), st.data())
def test_a_proof_of_anything_else_is_refused(size: int, data: st.DataObject) -> None:
    """One bit, one hash more or less, two exchanged, another entry, another size, another root: all are noticed."""
    entries = statements(size)
    position, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    proof, root, leaf = path(position, entries), mth(entries), merkle.leaf_hash(entries[position])
    for wrong in _spoilt(proof, data):
        with pytest.raises(merkle.ProofError):
            merkle.check_inclusion(leaf, position, size, wrong, root)
    other = data.draw(st.integers(-2, size + 2).filter(lambda one: one != position))
    with pytest.raises(merkle.ProofError):
        merkle.check_inclusion(leaf, other, size, proof, root)
    with pytest.raises(merkle.ProofError):
        merkle.check_inclusion(leaf, position, size, proof, mth([*entries, b"more"]))
    consistent = subproof(old, entries, is_whole=True)
    for wrong in _spoilt(consistent, data):
        with pytest.raises(merkle.ProofError):
            merkle.check_consistency(old, size, mth(entries[:old]), root, wrong)
    forked = [*entries[: old - 1], b"another"]
    with pytest.raises(merkle.ProofError):
        merkle.check_consistency(old, size, mth(forked), root, consistent)


def _spoilt(proof: list[bytes], data: st.DataObject) -> list[list[bytes]]:
    found = [[*proof, b"\x00" * 32]]
    if proof:
        place, bit = data.draw(st.integers(0, len(proof) - 1)), data.draw(st.integers(0, 255))
        flipped = (int.from_bytes(proof[place]) ^ (1 << bit)).to_bytes(32)
        found += [proof[:-1], [*proof[:place], flipped, *proof[place + 1 :]]]
    if len(proof) > 1:
        found.append([*proof[:-2], proof[-1], proof[-2]])
    return found


def test_nodes_that_are_not_there_are_left_out_and_a_node_asked_for_twice_comes_once(grown: Services) -> None:
    with reading(grown) as work:
        assert nodes_at(work.session, []) == {}
        asked = [(0, 0), (0, 0), (6, 0), (6, 1), (0, MOST), (0, -1), (50, 0), (62, 2**62), (1, 34), (1, 35)]
        assert sorted(nodes_at(work.session, asked)) == [(0, 0), (1, 34), (6, 0)]
        every = [(level, index) for level in range(8) for index in range(500)]  # 4,008 values in one statement
        assert len(nodes_at(work.session, every)) == sum(MOST >> level for level in range(8))


def test_transactions_at_once_grow_one_tree(services: Services) -> None:
    """Of each size up to eight at once, so that a transaction ends on both sides of every power of two."""
    threads = [
        threading.Thread(target=add, args=(services, [b"%d of %d" % (n, m) for n in range(m)])) for m in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with reading(services) as work:
        rows = work.session.scalars(select(JournalEntryRow.statement).order_by(JournalEntryRow.position))
        said = list(rows)
    assert signed_root(services) == (36, mth([one.encode() for one in said]))
    assert sorted(said) == sorted(f"{n} of {m}" for m in range(1, 9) for n in range(m))
