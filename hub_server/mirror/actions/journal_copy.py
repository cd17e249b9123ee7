"""Copies the other hub's journal, page by page. A page is written once it is proven to be in the signed root."""

from collections.abc import Callable, Sequence

from hub_server.database.package_changes import exclude_other_numbers
from hub_server.journal import actions as journal
from hub_server.journal.actions import SealedEntry
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import queries
from hub_server.mirror.actions.origin import OriginHub
from hub_server.mirror.errors import NotThereError, OriginAwayError, UntrueError
from schemas.journal.entries import JournalCheckpoint, JournalPage, decode, decode_hashes
from schemas.journal.hub_keys import HubKey, JournalError, open_envelope, read_checkpoint
from schemas.journal.key_chain import keys_after, keys_of_signer
from schemas.journal.merkle import GrowingTree, check_consistency
from schemas.journal.signed_note import SignedNote
from schemas.journal.signing_keys import SigningKey

_FIRST_YEAR, _LAST_YEAR = 2000, 9000


def copy_journal(services: Services, origin: OriginHub, is_over: Callable[[], bool] = lambda: False) -> None:
    """Bring the copy up to the newest checkpoint, and note which packages have news. It goes on later where it ends.

    Raises ``UntrueError`` for a journal that is shorter, has another past, another name or an unknown signer.
    """
    while not _copy_page(services, origin) and not is_over():
        pass


def _copy_page(services: Services, origin: OriginHub) -> bool:
    """Copy one page; whether the copy is whole then."""
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        tree, followed = journal.copied_tree(work), journal.find_followed(session)
        assert followed is not None, "a mirror has this row from its first start"
        name, note = followed.name, followed.checkpoint
    start = tree.size
    page = origin.entries(start)
    try:
        signed, checkpoint = read_checkpoint(page.checkpoint)
        keys, listed = _trusted_keys(services, origin, name, signed, checkpoint)
        entries = _checked(page, start, keys)
        for entry in entries:
            tree.add(decode(entry.envelope.payload))
        _prove(origin, tree, checkpoint)
    except (JournalError, ValueError) as error:
        raise UntrueError(f"the journal of {origin.url} is not what was copied of it: {error}") from None
    if tree.size > services.settings.mirror.entries:
        raise UntrueError(f"the journal of {origin.url} has more entries than VERIHUB_SERVER_MIRROR__ENTRIES allows")
    is_whole = tree.size == checkpoint.size
    if not entries and not is_whole:
        raise UntrueError(f"{origin.url} signs {checkpoint.size} entries, and shows no more than {tree.size}")
    if entries or page.checkpoint != note:
        _write(services, start, entries, keys, listed, page.checkpoint if is_whole else "")
    return is_whole


def _trusted_keys(
    services: Services, origin: OriginHub, name: str, signed: SignedNote, checkpoint: JournalCheckpoint
) -> tuple[tuple[HubKey, ...], list[SigningKey]]:
    """The other hub's keys, oldest first; the last one has signed. Beside them what it tells of its keys, if asked."""
    wanted = services.settings.mirror.journal
    if not name:
        listed = origin.keys().items
        keys = keys_of_signer(signed, checkpoint.origin, listed)
        if not keys:
            raise UntrueError(f"the journal of {origin.url} is signed by none of the keys that it lists")
        if wanted and (checkpoint.origin != wanted or wanted != f"verihub/{keys[0].id}"):
            raise UntrueError(
                f"{origin.url} has the journal {checkpoint.origin}, begun with the key {keys[0].id}, and "
                f"VERIHUB_SERVER_MIRROR__JOURNAL names {wanted}"
            )
        return keys, listed
    if checkpoint.origin != name:
        raise UntrueError(f"{origin.url} has the journal {checkpoint.origin} now, and had {name}: it is another hub")
    with services.database.reading() as session:
        keys = journal.followed_keys(UnitOfWork(session, services), name)
    if keys[-1].has_signed(signed):
        return keys, []
    listed = origin.keys().items
    following = keys_after(keys[-1], listed)
    for number, key in enumerate(following, 1):
        if key.has_signed(signed):
            return (*keys, *following[:number]), listed
    if any(key.has_signed(signed) for key in keys):  # a process of it that was not started again since
        raise OriginAwayError(f"{origin.url} still signs with a key that it has replaced")
    raise UntrueError(f"{origin.url} signs with a key that none of its former keys has named")


def _checked(page: JournalPage, start: int, keys: Sequence[HubKey]) -> list[SealedEntry]:
    found = []
    for position, item in enumerate(page.items, start):
        if item.position != position:
            raise JournalError(f"entry {position} is missing")
        sealing = next((key for key in keys if key.has_sealed(item.envelope)), None)
        statement = open_envelope(item.envelope, keys)
        assert sealing is not None, "one of the keys has sealed what was opened"
        if statement.at.utcoffset() is None or not _FIRST_YEAR <= statement.at.year <= _LAST_YEAR:
            raise JournalError(f"entry {position} has no time zone, or a year outside of {_FIRST_YEAR} to {_LAST_YEAR}")
        found.append(SealedEntry(statement, item.envelope, sealing.id))
    return found


def _prove(origin: OriginHub, tree: GrowingTree, checkpoint: JournalCheckpoint) -> None:
    """That the copy with its new page is the beginning of the journal that the other hub signs."""
    if tree.size > checkpoint.size:
        raise JournalError(f"it has {checkpoint.size} entries, and {tree.size} were copied")
    hashes: list[str] = []
    if 0 < tree.size < checkpoint.size:
        try:
            hashes = origin.consistency(tree.size, checkpoint.size)
        except NotThereError:
            raise JournalError("it gives no proof of its past") from None
    check_consistency(tree.size, checkpoint.size, tree.root, checkpoint.root, decode_hashes(hashes))


def _write(
    services: Services,
    start: int,
    entries: Sequence[SealedEntry],
    keys: Sequence[HubKey],
    listed: Sequence[SigningKey],
    note: str,
) -> None:
    """Write a page in one transaction, unless another process of this mirror was faster. ``note``: the checkpoint that
    the copy is shown up to then; empty: as before.
    """
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        exclude_other_numbers(session)
        if journal.copied_tree(work).size != start:
            return
        journal.add_copied(work, entries)
        named = {entry.statement.package for entry in entries if entry.statement.package is not None}
        queries.mark(session, named, work.now, adds=True)
        journal.remember_keys(work, keys, listed)
        if note:
            journal.show_until(work, note, read_checkpoint(note)[1], keys[-1])
