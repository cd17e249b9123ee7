import pytest

from schemas.journal.entries import Envelope
from schemas.journal.hub_keys import HubKey, JournalError, open_envelope, read_checkpoint
from schemas.journal.signed_note import SignedNote
from tests.making.journal_hub import JournalHub, Key
from tests.making.wheel import make_wheel

ORIGIN = "verihub/test"


@pytest.fixture
def envelope() -> Envelope:
    hub = JournalHub()
    hub.add(make_wheel())
    return Envelope.read(hub.envelopes[0])


def test_an_envelope_is_opened_by_any_of_the_hubs_keys_and_by_no_other(envelope) -> None:
    ours, other = Key(1).public(ORIGIN), Key(2).public(ORIGIN)
    assert open_envelope(envelope, [other, ours]).package == "alice/small-sums"
    for keys in ([], [other]):
        with pytest.raises(JournalError, match="not signed"):
            open_envelope(envelope, keys)


@pytest.mark.parametrize(
    "change",
    [{"payloadType": "text/plain"}, {"payload": "!"}, {"payload": ""}, {"signatures": []}],
)
def test_a_changed_envelope_is_refused(envelope, change) -> None:
    with pytest.raises(JournalError):
        open_envelope(envelope.model_copy(update=change), [Key(1).public(ORIGIN)])


def test_a_signature_under_the_right_name_by_another_key_does_not_count(envelope) -> None:
    theirs = Envelope.read(Key(2).seal(b"{}"))
    named = theirs.signatures[0].model_copy(update={"keyid": Key(1).public(ORIGIN).id})
    with pytest.raises(JournalError, match="not signed"):
        open_envelope(theirs.model_copy(update={"signatures": [named]}), [Key(1).public(ORIGIN)])


def test_a_note_is_the_keys_only_under_the_same_name() -> None:
    key = Key(1)
    note = SignedNote("text\n", (key.sign_note(ORIGIN, "text\n"),))
    assert key.public(ORIGIN).has_signed(note)
    assert not key.public("verihub/other").has_signed(note)
    assert not Key(2).public(ORIGIN).has_signed(note)
    assert not key.public(ORIGIN).has_signed(SignedNote("other\n", note.signatures))


def test_a_key_is_one_line_and_any_other_line_is_none() -> None:
    key = Key(1).public(ORIGIN)
    assert HubKey.parse(str(key)) == key
    for line in ["", "+", "a+b+c", str(key)[:-1], str(key) + " ", str(key).replace("+", "-", 1), "x" + str(key)]:
        with pytest.raises(JournalError):
            HubKey.parse(line)


def test_what_is_no_checkpoint_is_refused() -> None:
    for note in ["", "x", "verihub/test\n1\nAA==\n\n— verihub/test AAAA\n"]:
        with pytest.raises(JournalError, match="not sound"):
            read_checkpoint(note)
