"""Going on with another key, so that clients which know the old one trust the new one."""

import hashlib
from base64 import b64decode

from hub_server.errors import InvalidRequestError
from hub_server.journal import queries
from hub_server.journal.actions.entries import add_entry, remember_key
from hub_server.journal.actions.keys import journal_origin
from hub_server.journal.models import SigningKeyRow
from hub_server.kernel.caller import require_operator
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.signer import Signer
from schemas.journal.entries import Act, Statement, rotation_text
from schemas.journal.signed_note import SignedNote


def rotate_key(work: UnitOfWork, following: Signer) -> None:
    """Name the key with which the hub goes on. The present key and the following one both sign that.

    Clients that know one of the two then trust the other. Done twice for the same key, it changes nothing.
    """
    require_operator(work.caller)
    signer = work.services.signer
    if following.key_id == signer.key_id:
        raise InvalidRequestError("This is the key that the hub signs with already: name another.")
    remember_key(work)
    work.session.flush()
    known = queries.find_signing_key(work.session, following.key_id)
    if known is not None and known.introduction:
        return
    if known is not None:
        raise InvalidRequestError("The hub has signed with this key before: make a fresh one.")
    origin = journal_origin(work)
    text = rotation_text(origin, signer.public_key, following.public_key)
    note = SignedNote(text, (signer.sign_note(origin, text), following.sign_note(origin, text)))
    work.session.add(
        SigningKeyRow(
            id=following.key_id, public_key=following.public_key, first_used_at=work.now, introduction=str(note)
        )
    )
    digest = hashlib.sha256(b64decode(following.public_key)).hexdigest()
    add_entry(work, Statement(act=Act.ROTATE_KEY, sha256=digest, at=work.now))
