"""The journal of a hub: every publish and every change of a release's state, as a list that only grows.

An entry is an in-toto statement (``Statement``, version 1) about the bytes of one release, or about a key. It holds no
free text and no account: nothing in it may ever have to be removed. A *checkpoint* is the root of the Merkle tree over
all entries, signed by the hub (C2SP *tlog-checkpoint*).
"""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import ValidationError

from schemas.base import WireModel
from schemas.journal.merkle import HASH_BYTES
from schemas.journal.signed_note import NoteError
from schemas.names import PackageId, VersionText

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:verihub:journal:v1"
_MOST_DIGITS = 18  # all of them fit the 64-bit integers of both databases


class Act(StrEnum):
    """What an entry says: ``publish``, ``transfer``, ``rotate_key``; the others are a release's state from then on."""

    PUBLISH = "publish"
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    YANKED = "yanked"
    QUARANTINED = "quarantined"
    TAKEN_DOWN = "taken_down"
    TRANSFER = "transfer"
    """Somebody else has the package from then on."""
    ROTATE_KEY = "rotate_key"


class Statement(WireModel):
    """One entry.

    ``sha256`` (hexadecimal) is the digest of the wheel; of the raw public key that comes into use; of the name of the
    account or organisation that has the package from then on.
    """

    act: Act
    sha256: str
    at: datetime
    package: PackageId | None = None
    version: VersionText | None = None

    def statement(self) -> bytes:
        """The bytes that are hashed and signed: an in-toto statement as compact JSON with sorted keys."""
        release = f"{self.package}@{self.version}" if self.version else f"owner of {self.package}"
        name = release if self.package else "signing key"
        predicate = self.model_dump(mode="json", exclude={"sha256"}, exclude_none=True)
        data = {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": self.sha256}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()

    @classmethod
    def parse(cls, statement: bytes) -> Self:
        """Read a statement. Raises ``ValueError`` for one that this version would write otherwise."""
        try:
            data = json.loads(statement)
            entry = cls(sha256=data["subject"][0]["digest"]["sha256"], **data["predicate"])
        except (ValueError, LookupError, TypeError, RecursionError, ValidationError) as error:
            raise ValueError(f"an entry of the journal cannot be read ({type(error).__name__})") from None
        if entry.statement() != statement:
            raise ValueError("an entry of the journal is not written as it should be")
        return entry


@dataclass(frozen=True)
class JournalCheckpoint:
    """A tree's size and root, and whose it is. ``origin`` names one journal for ever, whatever the hub's address."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The body of the signed note."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the body of a signed note. Raises :class:`~schemas.journal.signed_note.NoteError`."""
        lines = text.split("\n")
        try:
            origin, digits, encoded, end = lines
            if not digits.isascii() or not digits.isdigit() or len(digits) > _MOST_DIGITS:
                raise NoteError("a checkpoint has a size of at most 18 digits")
            found = cls(origin, int(digits), base64.b64decode(encoded, validate=True))
        except (ValueError, binascii.Error):
            raise NoteError("this is no checkpoint of a journal") from None
        if end or not origin or len(found.root) != HASH_BYTES or found.text != text:
            raise NoteError("this checkpoint is not written as it should be")
        return found


class EnvelopeSignature(WireModel):
    """One signature of an envelope; ``sig`` in base64."""

    keyid: str
    sig: str


class Envelope(WireModel):
    """A DSSE envelope. ``payload`` is the entry's statement in base64."""

    payload: str
    payloadType: str = PAYLOAD_TYPE  # noqa: N815 -- the format's own name
    signatures: list[EnvelopeSignature]


class JournalEntry(WireModel):
    """An entry where it stands, with the hub's signature over it."""

    position: int
    envelope: Envelope


class JournalPage(WireModel):
    """Entries in order, from ``start`` on. ``size``: how many there are in all; ``checkpoint``: the root of these."""

    start: int
    size: int
    items: list[JournalEntry]
    checkpoint: str = ""
    """A signed note, as ``GET /journal/checkpoint`` gives it; empty from hubs before 0.5."""


class ConsistencyProof(WireModel):
    """That the first ``old`` of ``new`` entries are the same: hashes in base64 (RFC 6962, 2.1.2)."""

    old: int
    new: int
    hashes: list[str]


class ReleaseProof(WireModel):
    """That a hub published exactly these bytes as this release: signed entry, its place in the tree, signed root."""

    position: int
    envelope: Envelope
    hashes: list[str]
    """Proof of inclusion in the checkpoint's tree, in base64 (RFC 6962, 2.1.1)."""
    checkpoint: str
    """A signed note."""


def rotation_text(origin: str, former: str, next_key: str) -> str:
    """The note that a key signs to name the next one. Keys: raw Ed25519 in base64."""
    return f"{origin} key rotation\n{former}\n{next_key}\n"


def decode_hashes(hashes: list[str]) -> list[bytes]:
    """Hashes from base64. Raises ``ValueError`` for what is none."""
    decoded = [decode(text) for text in hashes]
    if any(len(one) != HASH_BYTES for one in decoded):
        raise ValueError("a hash of this proof has the wrong length")
    return decoded


def encode(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode()


def decode(text: str) -> bytes:
    """Base64 in its one form. Raises ``ValueError`` for any other."""
    data = base64.b64decode(text, validate=True)
    if encode(data) != text:
        raise ValueError("base64 that is not written as it should be")
    return data
