"""An author's signature is of one release and of nothing else, and a key is claimed by who holds it."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.journal.author_signature import AuthorSignature
from schemas.journal.authors import (
    author_statement,
    check_public_key,
    is_author_signature,
    is_claimed,
    key_claim,
    sign_release,
)
from schemas.journal.entries import Envelope, encode
from schemas.journal.hub_keys import HubKey, JournalError, open_envelope
from tests.making.journal_hub import Key

KEY = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
OTHER = Ed25519PrivateKey.from_private_bytes(b"b" * 32)
PUBLIC = encode(KEY.public_key().public_bytes_raw())
RELEASE = ("alice/sums", "1.0", "sha256:" + "a" * 64)


def test_a_signature_is_of_this_package_version_and_digest_alone() -> None:
    found = sign_release(KEY, *RELEASE)
    assert is_author_signature(found, *RELEASE)
    assert found.public_key == PUBLIC
    for other in [
        ("alice/sum", "1.0", RELEASE[2]),
        ("alice/sums", "1.1", RELEASE[2]),
        ("alice/sums", "1.0", "sha256:" + "b" * 64),
    ]:
        assert not is_author_signature(found, *other)


@pytest.mark.parametrize(
    "change",
    [
        {"public_key": encode(OTHER.public_key().public_bytes_raw())},
        {"public_key": ""}, {"public_key": "!"}, {"public_key": PUBLIC + "A"}, {"public_key": encode(b"x" * 31)},
        {"signature": ""}, {"signature": "AAAA"}, {"signature": encode(b"x" * 64)},
    ],
)  # fmt: skip
def test_anything_else_is_no_signature(change: dict[str, str]) -> None:
    assert not is_author_signature(sign_release(KEY, *RELEASE).model_copy(update=change), *RELEASE)


def test_neither_an_authors_signature_nor_a_hubs_passes_for_the_other() -> None:
    statement = author_statement(*RELEASE)
    sealed = Envelope.read(Key(1).seal(statement))
    with pytest.raises(JournalError):
        open_envelope(sealed, [Key(1).public("verihub/x")])
    hub = HubKey("verihub/x", KEY.public_key().public_bytes_raw())
    assert hub.id == sign_release(KEY, *RELEASE).key_id, "keys are named alike"
    claim = AuthorSignature(public_key=PUBLIC, signature=encode(KEY.sign(key_claim("alice"))))
    assert not is_author_signature(claim, *RELEASE)


def test_a_key_is_claimed_for_one_account_by_who_holds_it() -> None:
    claim = encode(KEY.sign(key_claim("alice")))
    assert is_claimed(PUBLIC, claim, "alice")
    assert not is_claimed(PUBLIC, claim, "eve"), "a claim that somebody saw is no good for another account"
    assert not is_claimed(PUBLIC, encode(OTHER.sign(key_claim("alice"))), "alice")
    assert not is_claimed("", "", "alice")
    assert check_public_key(PUBLIC) == PUBLIC
