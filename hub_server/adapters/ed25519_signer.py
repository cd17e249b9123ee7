"""The hub's signing key: made once in the data folder, readable by its owner only, or given by a setting."""

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

from hub_server.adapters.synced import sync_to_disk
from hub_server.errors import StorageUnavailableError
from sandbox.audit.errors import SignatureError
from sandbox.audit.report import report_digest
from sandbox.audit.signatures import check_signature, public_key_text, sign
from schemas.evidence.audit import AuditReport
from schemas.journal.entries import PAYLOAD_TYPE
from schemas.journal.signed_note import NoteSignature, key_hash, key_id

_OTHERS = 0o077  # the bits of a file's mode for its group and for everybody
_SCHEME = "ed25519"


class SignatureReader:
    """Reads and checks anybody's signatures of reports. Needs no key of its own."""

    def check(self, report: AuditReport) -> str:
        try:
            return key_id(check_signature(report))
        except SignatureError as error:
            raise ValueError(str(error)) from None

    def key_of(self, report: AuditReport) -> str:
        signer = (report.signature or "").split(":")[1:2]
        try:
            return key_id(signer[0]) if signer else ""
        except ValueError:
            return ""

    def digest(self, report: AuditReport) -> str:
        return report_digest(report)


class Ed25519Signer(SignatureReader):
    """Signs with the PEM file at ``path``. ``make``: create it where there is none, in one step, mode 0600.

    Raises ``StorageUnavailableError`` where the file cannot be read or made, holds no Ed25519 key, or others may read
    it: a key that others can read says nothing about who signed.
    """

    def __init__(self, path: Path, *, make: bool) -> None:
        if make and not path.exists():
            _make_key(path)
        self._key = _read_key(path)
        self.public_key = public_key_text(self._key.public_key())
        self.key_id = key_id(self.public_key)
        raw = self._key.public_key().public_bytes_raw()
        self._statements = CryptoSigner(self._key, SSlibKey(self.key_id, _SCHEME, _SCHEME, {"public": raw.hex()}))

    def sign(self, report: AuditReport) -> AuditReport:
        return sign(report, self._key)

    def sign_statement(self, statement: bytes) -> str:
        signature = Envelope(statement, PAYLOAD_TYPE, {}).sign(self._statements)
        return base64.b64encode(bytes.fromhex(signature.signature)).decode()

    def sign_note(self, name: str, text: str) -> NoteSignature:
        short = key_hash(name, self._key.public_key().public_bytes_raw())
        return NoteSignature(name, short, self._key.sign(text.encode()))

    def secret_of(self, purpose: str) -> str:
        return hmac.new(self._key.private_bytes_raw(), purpose.encode(), hashlib.sha256).hexdigest()


def _make_key(path: Path) -> None:
    """A fresh key under its name at once and whole; of two processes that start together, one wins for both."""
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
        sync_to_disk(fresh)
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        # A journal is signed from the first publish on: nobody could sign its continuation if power took the key.
        sync_to_disk(path.parent, path.parent.parent)
    except OSError as error:
        raise StorageUnavailableError(
            f"The signing key {path} cannot be made ({error.strerror}): make room or rights there, or name a key with "
            "VERIHUB_SERVER_SIGNING_KEY."
        ) from error
    finally:
        fresh.unlink(missing_ok=True)


def _read_key(path: Path) -> Ed25519PrivateKey:
    try:
        mode = path.stat().st_mode
        pem = path.read_bytes()
    except OSError as error:
        raise StorageUnavailableError(f"The signing key {path} cannot be read ({error.strerror}).") from error
    if mode & _OTHERS:
        raise StorageUnavailableError(f"Others may read the signing key {path}: chmod 600 it, or sign with a new one.")
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise StorageUnavailableError(
            f"{path} holds no Ed25519 private key in PEM: `openssl genpkey -algorithm ed25519` makes one."
        )
    return key
