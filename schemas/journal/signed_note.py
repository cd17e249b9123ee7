"""Signed notes: a text and signatures below it, as Go's checksum database and other transparency logs write them.

The format is C2SP's *signed-note* with Ed25519 (algorithm byte 1). Here is the text alone; keys are used elsewhere.
Reading is strict: one note has one form, so that no byte of it can change unnoticed.
"""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Self

_ED25519 = b"\x01"
_ID_BYTES = 4
_SIGNATURE_LINE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+=*)")
_MOST_CHARACTERS = 64 * 2**10  # chosen: a note has a few lines, and is read before anything in it is trusted


class NoteError(ValueError):
    """A text that is no signed note."""


@dataclass(frozen=True)
class NoteSignature:
    """One signature: who, by the key's short id, and the 64 bytes."""

    name: str
    key_hash: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"— {self.name} {base64.b64encode(self.key_hash + self.signature).decode()}"


@dataclass(frozen=True)
class SignedNote:
    """``text`` ends with a newline; the signatures are of exactly its UTF-8 bytes."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(f"{one}\n" for one in self.signatures)

    @classmethod
    def parse(cls, note: str) -> Self:
        """Read a note. Raises :class:`NoteError`."""
        text, separator, rest = note.rpartition("\n\n")
        lines = rest.split("\n")
        if len(note) > _MOST_CHARACTERS or not separator or lines.pop() or not lines:
            raise NoteError("this is no signed note")
        found = cls(text + "\n", tuple(_read_signature(line) for line in lines))
        if str(found) != note:
            raise NoteError("this note is not written as it should be")
        return found


def key_hash(name: str, public_key: bytes) -> bytes:
    """The short id that a signature line carries: of the signer's name and its raw Ed25519 key."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:_ID_BYTES]


def key_id(public_key: str) -> str:
    """A public key's short name: the first 16 digits of the SHA-256 of its raw bytes. ``public_key``: as base64."""
    return hashlib.sha256(base64.b64decode(public_key)).hexdigest()[:16]


def verifier_key(name: str, public_key: bytes) -> str:
    """A signer's name and public key in one line, as other tools for signed notes take it."""
    return f"{name}+{key_hash(name, public_key).hex()}+{base64.b64encode(_ED25519 + public_key).decode()}"


def _read_signature(line: str) -> NoteSignature:
    found = _SIGNATURE_LINE.fullmatch(line)
    try:
        data = base64.b64decode(found[2], validate=True) if found else b""
    except binascii.Error:
        data = b""
    if found is None or len(data) != _ID_BYTES + 64:
        raise NoteError("a signature of this note cannot be read")
    return NoteSignature(found[1], data[:_ID_BYTES], data[_ID_BYTES:])
