"""The public keys of a hub, and what they have signed: notes, and envelopes around entries of its journal."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from schemas.journal.entries import PAYLOAD_TYPE, Envelope, JournalCheckpoint, Statement, decode, encode
from schemas.journal.signed_note import NoteError, SignedNote, key_hash, key_id, verifier_key

_KEY_BYTES = 33


class JournalError(ValueError):
    """What a hub gave out as its journal, or as its keys, is not what it has signed."""


@dataclass(frozen=True)
class HubKey:
    """A public key of one hub. ``origin``: the name of its journal; ``raw``: 32 bytes of Ed25519."""

    origin: str
    raw: bytes

    @property
    def id(self) -> str:
        """Its short name, as the hub lists it."""
        return key_id(self.text)

    @property
    def text(self) -> str:
        """The raw key in base64."""
        return encode(self.raw)

    def __str__(self) -> str:
        return verifier_key(self.origin, self.raw)

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read a key as :func:`str` writes it. Raises :class:`JournalError`."""
        origin, _, rest = line.partition("+")
        try:
            data = decode(rest.partition("+")[2])
        except ValueError:
            data = b""
        found = cls(origin, data[1:])
        if len(data) != _KEY_BYTES or str(found) != line:
            raise JournalError("a hub's key is not written as it should be")
        return found

    def has_signed(self, note: SignedNote) -> bool:
        """Whether one of the note's signatures is this key's."""
        short = key_hash(self.origin, self.raw)
        return any(
            one.name == self.origin and one.key_hash == short and self._verifies(one.signature, note.text.encode())
            for one in note.signatures
        )

    def has_sealed(self, envelope: Envelope) -> bool:
        """Whether one of the envelope's signatures is this key's (DSSE, version 1)."""
        signed = signed_bytes(envelope.payloadType, decode(envelope.payload))
        return any(one.keyid == self.id and self._verifies(decode(one.sig), signed) for one in envelope.signatures)

    def _verifies(self, signature: bytes, data: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, data)
        except (InvalidSignature, ValueError):
            return False
        return True


def signed_bytes(payload_type: str, payload: bytes) -> bytes:
    """What a signature of a DSSE envelope, version 1, is over."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def open_envelope(envelope: Envelope, keys: Iterable[HubKey]) -> Statement:
    """The entry in an envelope that one of ``keys`` has signed. Raises :class:`JournalError`."""
    try:
        if envelope.payloadType != PAYLOAD_TYPE or not any(key.has_sealed(envelope) for key in keys):
            raise JournalError("an entry of the journal is not signed by a key of this hub")
        return Statement.parse(decode(envelope.payload))
    except JournalError:
        raise
    except ValueError as error:
        raise JournalError(f"the hub's journal is not sound: {error}") from None


def read_checkpoint(note: str) -> tuple[SignedNote, JournalCheckpoint]:
    """A checkpoint with its signatures, which are not checked here. Raises :class:`JournalError`."""
    try:
        signed = SignedNote.parse(note)
        return signed, JournalCheckpoint.parse(signed.text)
    except NoteError as error:
        raise JournalError(f"the hub's journal is not sound: {error}") from None
