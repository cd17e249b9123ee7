"""Entries and checkpoints have one form each."""

from datetime import UTC, datetime

import pytest

from schemas.journal.entries import Act, JournalCheckpoint, Statement, decode, decode_hashes, encode
from schemas.journal.signed_note import NoteError

NOW = datetime(2026, 11, 25, 12, 0, 0, 5, tzinfo=UTC)
ENTRY = Statement(act=Act.PUBLISH, package="alice/sums", version="1.0", sha256="a" * 64, at=NOW)


def test_an_entry_is_an_in_toto_statement_and_is_read_again() -> None:
    assert ENTRY.statement().startswith(b'{"_type":"https://in-toto.io/Statement/v1","predicate":{"act":"publish",')
    assert b'"subject":[{"digest":{"sha256":"' + b"a" * 64 + b'"},"name":"alice/sums@1.0"}]' in ENTRY.statement()
    assert Statement.parse(ENTRY.statement()) == ENTRY
    key = Statement(act=Act.ROTATE_KEY, sha256="b" * 64, at=NOW)
    assert Statement.parse(key.statement()) == key


@pytest.mark.parametrize(
    "change",
    [
        (b'"publish"', b'"unknown"'),
        (b"{", b"{ "),
        (b"alice/sums@1.0", b"alice/sums@2.0"),
        (b"sums", b"Sums"),
        (b"}", b""),
    ],
)
def test_a_statement_that_says_two_things_or_is_written_otherwise_is_refused(change) -> None:
    with pytest.raises(ValueError, match="journal"):
        Statement.parse(ENTRY.statement().replace(*change, 1))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"7", b"[" * 5000, b'{"subject":[]}', b"\xff", b'{"subject":[{"digest":7}],"predicate":{}}']
)
def test_what_is_no_statement_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        Statement.parse(data)


def test_a_checkpoint_is_read_as_it_was_written() -> None:
    found = JournalCheckpoint("verihub/1", 10, bytes(range(32)))
    assert JournalCheckpoint.parse(found.text) == found
    wrong = [
        "",
        "\n\n\n",
        found.text[:-1],
        found.text + "\n",
        found.text.replace("10", "010"),
        found.text.replace("10", "-1"),
    ]
    wrong += [found.text.replace("10", "9" * 5000), found.text.replace("10", "\u0661"), found.text.replace("AAE", "AA")]
    for text in wrong:
        with pytest.raises(NoteError):
            JournalCheckpoint.parse(text)


def test_base64_has_one_form() -> None:
    assert decode(encode(b"abcd")) == b"abcd"
    for text in ["YWJjZB==", "YWJjZA", "YWJjZA==\n", "YWJj ZA=="]:
        with pytest.raises(ValueError):
            decode(text)
    with pytest.raises(ValueError):
        decode_hashes(["YWJjZA=="])
