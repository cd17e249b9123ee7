"""Signed notes have one form, so that nothing in them changes unnoticed."""

import base64

import pytest

from schemas.journal.signed_note import NoteError, NoteSignature, SignedNote, key_hash, key_id, verifier_key

NOTE = SignedNote("origin\n7\nroot\n", (NoteSignature("origin", b"\x01\x02\x03\x04", bytes(64)),))


def test_a_note_is_read_as_it_was_written() -> None:
    assert SignedNote.parse(str(NOTE)) == NOTE
    assert str(NOTE).split("\n")[:4] == ["origin", "7", "root", ""]
    two = SignedNote("a\n\nb\n", (*NOTE.signatures, *NOTE.signatures))
    assert SignedNote.parse(str(two)) == two


def test_the_keys_of_other_tools_are_read_alike() -> None:
    """The example of Go's package sumdb/note: a verifier's key and the hash in it."""
    line = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    raw = base64.b64decode(line.rpartition("+")[2])[1:]
    assert key_hash("PeterNeumann", raw).hex() == "c74f20a3"
    assert verifier_key("PeterNeumann", raw) == line


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "no signature\n\n", "text\n\n— a b\n", "text\n— a AAAA\n", str(NOTE)[:-1], str(NOTE) + "\n", str(NOTE) + " ",
     str(NOTE).replace("—", "-"), str(NOTE).replace("AAA", "AA", 1), "x" * 70_000 + str(NOTE)],
)  # fmt: skip
def test_what_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        SignedNote.parse(text)


def test_a_keys_short_name_is_of_its_raw_bytes() -> None:
    assert key_id(base64.b64encode(bytes(32)).decode()) == "66687aadf862bd77"
