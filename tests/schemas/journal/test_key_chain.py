"""Trust goes from key to key in both directions, and only where both have signed."""

import pytest

from schemas.journal.key_chain import keys_after, keys_before, keys_of_signer
from schemas.journal.signed_note import SignedNote
from schemas.journal.signing_keys import SigningKey
from tests.making.journal_hub import JournalHub, Key

ORIGIN = "verihub/test"


def listed(hub: JournalHub) -> list[SigningKey]:
    return [SigningKey.read(item) for item in hub.listed_keys()]


@pytest.fixture
def hub() -> JournalHub:
    made = JournalHub()
    made.rotate(Key(2))
    made.rotate(Key(3))
    return made


def seeds(keys) -> list[int]:
    by_raw = {Key(seed).raw: seed for seed in range(1, 10)}
    return [by_raw[key.raw] for key in keys]


def test_keys_lead_to_one_another_both_ways(hub) -> None:
    assert seeds(keys_after(Key(1).public(ORIGIN), listed(hub))) == [2, 3]
    assert seeds(keys_before(Key(3).public(ORIGIN), listed(hub))) == [1, 2]
    assert seeds(keys_after(Key(3).public(ORIGIN), listed(hub))) == []
    assert seeds(keys_before(Key(9).public(ORIGIN), listed(hub))) == []


@pytest.mark.parametrize("signs", [(1, 1), (2, 2), (2, 9), (9, 1), ()])
def test_a_link_that_one_of_the_two_has_not_signed_is_none(hub, signs) -> None:
    items = listed(hub)
    (second,) = [item for item in items if item.id == Key(2).public(ORIGIN).id]
    note = SignedNote.parse(second.introduction)
    forged = SignedNote(note.text, tuple(Key(seed).sign_note(ORIGIN, note.text) for seed in signs))
    changed = second.model_copy(update={"introduction": str(forged)})
    assert seeds(keys_after(Key(1).public(ORIGIN), [changed])) == []
    assert seeds(keys_before(Key(2).public(ORIGIN), [changed])) == []


def test_a_circle_ends(hub) -> None:
    hub.rotate(Key(1))
    assert seeds(keys_after(Key(1).public(ORIGIN), listed(hub)))[:2] == [2, 3]
    assert len(keys_before(Key(1).public(ORIGIN), listed(hub))) <= 3


@pytest.mark.parametrize("note", ["x", "a\nb\n\n", "\n\n— a b\n", "a\n!\n\n— verihub/test " + "A" * 92 + "\n"])
def test_garbage_is_passed_over(note) -> None:
    item = SigningKey(id="x", public_key="!", introduction=note)
    assert keys_after(Key(1).public(ORIGIN), [item]) == []


def test_who_knows_no_key_takes_the_one_that_signed_and_those_before_it(hub) -> None:
    note = SignedNote("text\n", (Key(2).sign_note(ORIGIN, "text\n"),))
    garbage = SigningKey(id="x", public_key="!")
    assert seeds(keys_of_signer(note, ORIGIN, [garbage, *listed(hub)])) == [1, 2]
    assert keys_of_signer(note, "verihub/other", listed(hub)) == ()
    assert keys_of_signer(SignedNote("other\n", note.signatures), ORIGIN, listed(hub)) == ()
