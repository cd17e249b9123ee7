"""What an author signs about a release: these bytes are this version of this package.

The statement follows from package, version and digest alone, so a signature travels without it. It is an in-toto
statement in the DSSE envelope of the hub's journal, with a type of its own: neither signature can be passed off as the
other.
"""

import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from schemas.journal.author_signature import AuthorSignature
from schemas.journal.entries import PAYLOAD_TYPE, STATEMENT_TYPE, decode, encode
from schemas.journal.hub_keys import signed_bytes

PREDICATE_TYPE = "urn:verihub:author:v1"
_KEY_BYTES = 32
_Y = 2**255 - 1
"""All bits but the sign of x."""
_P = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset({0, 1, _P - 1, _P, _P + 1, _ORDER_8, _P - _ORDER_8})
"""The y of every point whose order divides 8, also as it is written without being reduced."""


def author_statement(package: str, version: str, digest: str) -> bytes:
    """The bytes that an author signs. ``digest``: ``sha256:…`` of the wheel."""
    data = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": f"{package}@{version}", "digest": {"sha256": digest.removeprefix("sha256:")}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"package": package, "version": version},
    }
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def sign_release(key: Ed25519PrivateKey, package: str, version: str, digest: str) -> AuthorSignature:
    """Sign a release as its author."""
    signature = key.sign(signed_bytes(PAYLOAD_TYPE, author_statement(package, version, digest)))
    return AuthorSignature(public_key=encode(key.public_key().public_bytes_raw()), signature=encode(signature))


def is_author_signature(found: AuthorSignature, package: str, version: str, digest: str) -> bool:
    """Whether the key has signed exactly this release."""
    try:
        key = Ed25519PublicKey.from_public_bytes(decode(check_public_key(found.public_key)))
        key.verify(decode(found.signature), signed_bytes(PAYLOAD_TYPE, author_statement(package, version, digest)))
    except (InvalidSignature, ValueError):
        return False
    return True


def check_public_key(text: str) -> str:
    """A raw Ed25519 public key in base64, in its one form. Raises ``ValueError`` for anything else.

    Also for the few points of small order, whose signatures anybody can make, of any text.
    """
    raw = decode(text)
    if len(raw) != _KEY_BYTES:
        raise ValueError("an Ed25519 public key has 32 bytes, in base64")
    if (int.from_bytes(raw, "little") & _Y) in _SMALL_ORDER:
        raise ValueError("this Ed25519 public key is nobody's: everybody can sign for it")
    Ed25519PublicKey.from_public_bytes(raw)
    return text


def key_claim(account: str) -> bytes:
    """What a key signs to be an account's: nobody registers a key that somebody else holds."""
    return f"verihub author key of {account}\n".encode()


def is_claimed(public_key: str, claim: str, account: str) -> bool:
    """Whether the key has signed that it is this account's. ``claim``: the signature in base64."""
    try:
        Ed25519PublicKey.from_public_bytes(decode(check_public_key(public_key))).verify(
            decode(claim), key_claim(account)
        )
    except (InvalidSignature, ValueError):
        return False
    return True
