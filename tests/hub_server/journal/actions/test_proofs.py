"""Proofs that anybody can check: a release is in the journal, the journal only grew, and damage is found."""

from base64 import b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy import text

from hub_server.journal import actions
from hub_server.journal.errors import EntryNotFoundError, TreeSizeError
from schemas.journal.entries import JournalCheckpoint, decode_hashes
from schemas.journal.merkle import EMPTY_ROOT, check_consistency, check_inclusion, leaf_hash
from schemas.journal.signed_note import SignedNote
from tests.making.action_driver import ActionDriver, person

SUMS = "alice/small-sums"


@pytest.fixture
def filled(driver: ActionDriver) -> ActionDriver:
    alice = driver.person("alice")
    for number in range(5):
        driver.publish(alice, version=f"{number}.0")
    return driver


def checkpoint(driver: ActionDriver, note: str | None = None) -> JournalCheckpoint:
    signed = SignedNote.parse(note or driver.ask(None, actions.get_checkpoint))
    key = Ed25519PublicKey.from_public_bytes(b64decode(driver.services.signer.public_key))
    key.verify(signed.signatures[0].signature, signed.text.encode())
    return JournalCheckpoint.parse(signed.text)


def test_every_release_is_proven_to_be_in_the_signed_tree(filled: ActionDriver) -> None:
    for number in range(5):
        proof = filled.ask(None, actions.get_release_proof, SUMS, f"{number}.0")
        found = checkpoint(filled, proof.checkpoint)
        leaf = leaf_hash(b64decode(proof.envelope.payload))
        check_inclusion(leaf, proof.position, found.size, decode_hashes(proof.hashes), found.root)
        assert (proof.position, found.size) == (number, 5)


def test_the_journal_is_proven_to_grow(filled: ActionDriver) -> None:
    before = checkpoint(filled)
    filled.publish(person("alice"), version="9.0")
    after = checkpoint(filled)
    proof = filled.ask(None, actions.get_consistency, before.size, after.size)
    check_consistency(before.size, after.size, before.root, after.root, decode_hashes(proof.hashes))
    assert before.origin == after.origin


def test_an_empty_journal_has_a_root_and_its_name_stays(driver: ActionDriver) -> None:
    empty = checkpoint(driver)
    assert (empty.size, empty.root) == (0, EMPTY_ROOT)
    driver.publish(driver.person("alice"))
    assert checkpoint(driver).origin == empty.origin


def test_what_is_not_there_is_said(filled: ActionDriver) -> None:
    with pytest.raises(EntryNotFoundError, match="says nothing"):
        filled.ask(None, actions.get_release_proof, SUMS, "7.7")
    for old, new in [(-1, 2), (3, 2), (0, 6), (10**30, 10**30)]:
        with pytest.raises(TreeSizeError):
            filled.ask(None, actions.get_consistency, old, new)


def test_pages_of_entries_follow_one_another(filled: ActionDriver) -> None:
    first = filled.ask(None, actions.list_entries, 0, 2)
    rest = filled.ask(None, actions.list_entries, 2, 100)
    assert [item.position for item in [*first.items, *rest.items]] == list(range(5))
    assert (first.size, filled.ask(None, actions.list_entries, 5, 10).items) == (5, [])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE journal_entries SET statement = replace(statement, '2.0', '2.1') WHERE position = 2", "are not those"),
        ("DELETE FROM journal_entries WHERE position = 1", "entry 1 of the journal is missing"),
        ("UPDATE journal_nodes SET hash = replace(hash, substr(hash, 1, 4), 'ffff') WHERE level = 2", "are not those"),
        ("UPDATE journal_entries SET statement = 'x' WHERE position = 4", "entry 4: an entry of the journal cannot be read"),
    ],
)  # fmt: skip
def test_what_is_damaged_in_the_database_is_found(filled: ActionDriver, damage: str, said: str) -> None:
    assert list(filled.ask(None, actions.tree_faults)) == []
    with filled.writing() as work:
        work.session.execute(text(damage))
    assert said in " ".join(filled.ask(None, actions.tree_faults))


def test_a_proof_costs_the_same_number_of_statements_whatever_the_size(filled: ActionDriver) -> None:
    def cost() -> int:
        with filled.statements() as sent:
            filled.ask(None, actions.get_release_proof, SUMS, "0.0")
        return len(sent)

    before = cost()
    for number in range(10, 30):
        filled.publish(person("alice"), version=f"{number}.0")
    assert cost() == before


def test_a_release_is_found_by_the_number_of_its_entry(filled: ActionDriver) -> None:
    assert filled.ask(None, actions.find_entry, SUMS, "3.0") == 4
    assert filled.ask(None, actions.find_entry, SUMS, "9.0") is None


def test_every_page_of_entries_brings_the_root_that_it_belongs_to(filled: ActionDriver) -> None:
    page = filled.ask(None, actions.list_entries, 2, 2)
    assert (page.size, len(page.items)) == (5, 2)
    assert checkpoint(filled, page.checkpoint).size == 5
