"""A machine that has seen a package signed says where a later release is not, or by another key."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_client.errors import IntegrityError
from hub_client.integrity.journal import Vouched
from hub_client.integrity.known_authors import KnownAuthors
from schemas.journal.authors import sign_release
from schemas.package import Release
from tests.making.scripted_hub import ScriptedHub
from tests.making.wheel import make_wheel

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(seed * 32) for seed in (b"a", b"b"))


def release(version: str, key: Ed25519PrivateKey | None) -> Release:
    made = ScriptedHub().add(make_wheel(version=version))
    signature = sign_release(key, made.package, made.version, made.digest) if key is not None else None
    return made.model_copy(update={"author_signature": signature})


def at(position: int) -> Vouched:
    return Vouched(position, 100, "verihub/test", "key", datetime(2026, 11, 1, tzinfo=UTC))


@pytest.fixture
def authors(tmp_path: Path) -> KnownAuthors:
    return KnownAuthors(tmp_path, "https://hub.example")


def test_a_later_release_without_a_signature_is_said_and_an_earlier_one_is_not(authors: KnownAuthors) -> None:
    assert authors.check(release("1.0.0", None), at(1)).warning == "", "nobody has signed yet"
    signed = authors.check(release("2.0.0", KEY), at(5))
    assert (signed.key_id != "", signed.warning) == (True, "")
    assert authors.check(release("1.0.0", None), at(1)).warning == ""
    later = authors.check(release("1.0.1", None), at(9))
    assert "is not signed by its author" in later.warning, "what counts is when, not which number it has"
    assert signed.key_id in later.warning
    assert "is not signed" in authors.check(release("3.0.0", None), None).warning
    authors.check(release("1.5.0", KEY), at(3))
    assert "is not signed" in authors.check(release("1.6.0", None), at(4)).warning, "it has signed since entry 3"


def test_another_key_is_said_once(authors: KnownAuthors) -> None:
    authors.check(release("1.0.0", KEY), at(1))
    assert "earlier ones were by" in authors.check(release("2.0.0", OTHER), at(2)).warning
    assert authors.check(release("2.0.0", OTHER), at(2)).warning == ""


def test_a_signature_of_other_bytes_is_an_integrity_error(authors: KnownAuthors) -> None:
    good, other = release("1.0.0", KEY), release("2.0.0", KEY)
    moved = good.model_copy(update={"author_signature": other.author_signature})
    with pytest.raises(IntegrityError, match="not of these bytes"):
        authors.check(moved, at(1))
    assert not authors.path.exists(), "nothing is remembered of it"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"alice/small-sums": {"keys": 1}}'])
def test_a_damaged_memory_is_said(authors: KnownAuthors, text: str) -> None:
    authors.path.parent.mkdir(parents=True)
    authors.path.write_text(text)
    with pytest.raises(IntegrityError, match="damaged"):
        authors.check(release("1.0.0", None), at(1))
