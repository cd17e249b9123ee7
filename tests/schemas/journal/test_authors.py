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
P = 2**255 - 19
ORDER_8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
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


@pytest.mark.parametrize("sign", [0, 1 << 255])
@pytest.mark.parametrize("y", [0, 1, P - 1, P, P + 1, ORDER_8, P - ORDER_8])
def test_a_key_that_everybody_can_sign_for_is_nobodys(y: int, sign: int) -> None:
    """With the neutral point as the key, one fixed signature is right for every text."""
    key = encode((y | sign).to_bytes(32, "little"))
    fixed = encode((1).to_bytes(32, "little") + bytes(32))
    assert not is_claimed(key, fixed, "mallory")
    assert not is_author_signature(AuthorSignature(public_key=key, signature=fixed), *RELEASE)
    with pytest.raises(ValueError, match="nobody's"):
        check_public_key(key)


@pytest.mark.parametrize(("y", "order"), [(ORDER_8, 8), (P - ORDER_8, 8), (0, 4), (P - 1, 2), (1, 1)])
def test_the_refused_points_have_the_orders_that_are_said(y: int, order: int) -> None:
    """By the addition law of RFC 8032, section 5.1.4."""
    d = -121665 * pow(121666, -1, P) % P
    square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square
    sum_x, sum_y, count = x, y, 1
    while (sum_x, sum_y) != (0, 1):
        k = d * sum_x * x * sum_y * y % P
        sum_x, sum_y = (
            (sum_x * y + x * sum_y) * pow(1 + k, -1, P) % P,
            (sum_y * y + x * sum_x) * pow(1 - k, -1, P) % P,
        )
        count += 1
    assert count == order
