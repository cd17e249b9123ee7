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
        key = Ed25519PublicKey.from_public_bytes(decode(found.public_key))
        key.verify(decode(found.signature), signed_bytes(PAYLOAD_TYPE, author_statement(package, version, digest)))
    except (InvalidSignature, ValueError):
        return False
    return True


def check_public_key(text: str) -> str:
    """A raw Ed25519 public key in base64, in its one form. Raises ``ValueError`` for anything else."""
    raw = decode(text)
    if len(raw) != _KEY_BYTES:
        raise ValueError("an Ed25519 public key has 32 bytes, in base64")
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
