"""The signer of a mirror, which has no key: whatever it shows, the other hub has signed."""

from hub_server.adapters.ed25519_signer import SignatureReader
from hub_server.errors import MirrorError
from schemas.evidence.audit import AuditReport
from schemas.journal.signed_note import NoteSignature

_WHY = "A mirror has no key and signs nothing."


class KeylessSigner(SignatureReader):
    """Signs nothing, and checks what others have signed."""

    key_id = ""
    public_key = ""

    def sign(self, report: AuditReport) -> AuditReport:
        """The report without a signature: what is left out of it here, the other hub has not signed."""
        return report.model_copy(update={"signature": None})

    def sign_statement(self, statement: bytes) -> str:
        del statement
        raise MirrorError(_WHY)

    def sign_note(self, name: str, text: str) -> NoteSignature:
        del name, text
        raise MirrorError(_WHY)

    def secret_of(self, purpose: str) -> str:
        del purpose
        raise MirrorError(_WHY)
