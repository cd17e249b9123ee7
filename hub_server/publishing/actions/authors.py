"""The author's own signature on a release. It is optional; a wrong one refuses the publish."""

from pydantic import ValidationError

from hub_server.accounts import actions as accounts
from hub_server.kernel.caller import Caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing.errors import AuthorSignatureError
from schemas.journal.author_signature import AuthorSignature
from schemas.journal.authors import is_author_signature
from schemas.journal.signed_note import key_id


def read_author(header: str) -> AuthorSignature:
    """The signature in a request's header, not checked yet. Raises ``AuthorSignatureError`` if it cannot be read."""
    public_key, _, signature = header.strip().partition(" ")
    try:
        return AuthorSignature(public_key=public_key, signature=signature)
    except ValidationError:
        raise AuthorSignatureError(
            "Author-Signature must hold a public key and a signature, each in base64, with a blank between."
        ) from None


def check_author(work: UnitOfWork, caller: Caller, inspection: Inspection, author: AuthorSignature) -> None:
    """Refuse a signature of another package, version or digest, or by a key that the caller has not registered."""
    if not is_author_signature(author, inspection.manifest.id, inspection.version, inspection.digest):
        raise AuthorSignatureError(
            f"The author's signature is not of {inspection.manifest.id} {inspection.version} with {inspection.digest}."
        )
    if not accounts.has_author_key(work, caller.account_id, author.public_key):
        raise AuthorSignatureError(
            f"{caller.name} has not registered the key {key_id(author.public_key)}, which has signed this. Where it is "
            f"another account's, publish as that account; else move its file away, and `verihub key new` makes and "
            f"registers one for {caller.name}. `verihub key show` says which key this machine has."
        )
