"""From one trusted key to the others of a hub: each new key and the one before it have signed a note about both."""

from collections.abc import Sequence

from schemas.journal.entries import decode, rotation_text
from schemas.journal.hub_keys import HubKey
from schemas.journal.signed_note import NoteError, SignedNote
from schemas.journal.signing_keys import SigningKey


def keys_of_signer(signed: SignedNote, origin: str, listed: Sequence[SigningKey]) -> tuple[HubKey, ...]:
    """For who knows no key yet: the listed key that has signed, last, after those that led to it. Empty: none has."""
    for item in listed:
        try:
            key = HubKey(origin, decode(item.public_key))
        except ValueError:
            continue
        if key.has_signed(signed):
            return (*keys_before(key, listed), key)
    return ()


def keys_before(key: HubKey, listed: Sequence[SigningKey]) -> list[HubKey]:
    """The keys that led to ``key``, oldest first, without it."""
    links = {following.text: former for former, following in _links(key.origin, listed)}
    found: list[HubKey] = []
    while (former := links.get(key.text)) is not None and former not in found:
        found.append(former)
        key = former
    return found[::-1]


def keys_after(key: HubKey, listed: Sequence[SigningKey]) -> list[HubKey]:
    """The keys that followed ``key``, without it, the newest last."""
    links = {former.text: following for former, following in _links(key.origin, listed)}
    found: list[HubKey] = []
    while (following := links.get(key.text)) is not None and following not in found:
        found.append(following)
        key = following
    return found


def _links(origin: str, listed: Sequence[SigningKey]) -> list[tuple[HubKey, HubKey]]:
    """(former, following) of every introduction that both keys have signed."""
    found = []
    for item in listed:
        try:
            note = SignedNote.parse(item.introduction) if item.introduction else None
            former = HubKey(origin, decode(note.text.split("\n")[1])) if note else None
            following = HubKey(origin, decode(item.public_key))
        except (NoteError, ValueError, IndexError):
            continue
        if note is None or former is None or note.text != rotation_text(origin, former.text, following.text):
            continue
        if former.has_signed(note) and following.has_signed(note):
            found.append((former, following))
    return found
