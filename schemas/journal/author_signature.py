"""An author's signature of a release, as it travels. What is signed, and checking it: ``schemas.journal.authors``."""

from pydantic import Field

from schemas.base import WireModel
from schemas.journal.signed_note import key_id


class AuthorSignature(WireModel):
    """``public_key``: raw Ed25519; ``signature``: of a DSSE envelope around the statement; both in base64."""

    public_key: str = Field(max_length=64)
    signature: str = Field(max_length=128)

    @property
    def key_id(self) -> str:
        """The key's short name."""
        return key_id(self.public_key)
