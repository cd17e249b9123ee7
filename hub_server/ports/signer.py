"""Signs with the hub's key: reports, entries of the journal, and the journal's root."""

from typing import Protocol

from schemas.evidence.audit import AuditReport
from schemas.journal.signed_note import NoteSignature


class Signer(Protocol):
    """Signs with this hub's key, and checks anybody's signature of a report."""

    @property
    def key_id(self) -> str:
        """Short name of the key in use."""
        ...

    @property
    def public_key(self) -> str:
        """The raw Ed25519 public key in base64, for whoever wants to check."""
        ...

    def sign(self, report: AuditReport) -> AuditReport:
        """The report with this hub's signature over everything else in it."""
        ...

    def sign_statement(self, statement: bytes) -> str:
        """The signature (base64) of a DSSE envelope around an in-toto statement."""
        ...

    def sign_note(self, name: str, text: str) -> NoteSignature:
        """A line under a signed note, in the name of ``name``."""
        ...

    def check(self, report: AuditReport) -> str:
        """Id of the key that signed exactly this report. Raises ``ValueError`` with the reason when there is none."""
        ...

    def key_of(self, report: AuditReport) -> str:
        """Id of the key that the report says it was signed with, unchecked; empty where it is unsigned."""
        ...

    def secret_of(self, purpose: str) -> str:
        """64 hex digits that only this hub can compute, the same for the same purpose as long as its key stays."""
        ...

    def digest(self, report: AuditReport) -> str:
        """``sha256:…`` of the reproducible part: the report without latencies, time and signature."""
        ...
