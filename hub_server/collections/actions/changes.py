"""Write collections: their owner replaces one as a whole, or deletes it; moderators hide it."""

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageRow
from hub_server.collections import queries
from hub_server.collections.actions.collections import collection_of, get_row
from hub_server.collections.errors import CollectionChangedError
from hub_server.collections.models import CollectionEntryRow, CollectionRow
from hub_server.collections.rules import MOST_OF_AN_OWNER, is_private_after, why_not_held
from hub_server.database.base import new_id
from hub_server.database.visibility import Viewer, seeing
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import Caller, require_owner
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.collections import Collection, CollectionEntry, CollectionWrite
from schemas.names import InvalidNameError, check_package_id


def write_collection(work: UnitOfWork, owner: str, name: str, body: CollectionWrite) -> Collection:
    """Make a collection, or replace all of it. For its owner, and members of an organisation that owns it.

    Raises ``InvalidRequestError`` (a package that it may not hold, too many), ``CollectionChangedError`` (another
    revision), ``PackageNotFoundError``, ``ReleaseNotFoundError``, ``NameBlockedError``, ``WithheldError``.
    """
    caller = _require_writer(work, owner)
    collection_id = _checked_id(owner, name)
    accounts.check_not_blocked(work, owner, collection_id)
    queries.lock_owner(work.session, owner)
    entries = _checked_entries(work, body.entries)  # by what the token sees
    with seeing(work.session, Viewer(caller.owners)):  # a token that may not read must not make one a second time
        row = queries.find_collection(work.session, owner, name)
        if row is None:
            row = _new_row(work, owner, name, body)
        else:
            _check_change(get_row(work, owner, name), body)
            row.revision += 1
        row.is_private = is_private_after(was_private=row.is_private, wanted=body.visibility)
        row.title, row.text, row.updated_at, row.updated_by = body.title, body.text, work.now, caller.name
        _replace_entries(work, row, entries)
        work.session.flush()
        return collection_of(work, row)


def _require_writer(work: UnitOfWork, owner: str) -> Caller:
    caller = require_owner(work.caller, owner, Scope.PUBLISH)
    if caller.only:
        raise NotAllowedError(f"This token publishes releases of {caller.only}, and writes no collections.")
    return caller


def _checked_id(owner: str, name: str) -> str:
    try:
        return check_package_id(f"{owner}/{name}")
    except InvalidNameError as error:
        raise InvalidRequestError(str(error)) from None


def _new_row(work: UnitOfWork, owner: str, name: str, body: CollectionWrite) -> CollectionRow:
    if body.revision:
        raise CollectionChangedError(f"There is no collection {owner}/{name} any more: send it without a revision.")
    if queries.count_of_owner(work.session, owner) >= MOST_OF_AN_OWNER:
        raise InvalidRequestError(f"{owner} has {MOST_OF_AN_OWNER} collections, which is the limit: delete one first.")
    now = work.now
    row = CollectionRow(
        id=new_id(now), owner=owner, name=name, title=body.title, revision=1, is_private=False, created_at=now,
        updated_at=now, updated_by="",
    )  # fmt: skip
    work.session.add(row)
    return row


def _check_change(row: CollectionRow, body: CollectionWrite) -> None:
    if body.revision == 0:
        raise CollectionChangedError(f"There is a collection {row.owner}/{row.name} already: take another name.")
    if body.revision is not None and body.revision != row.revision:
        raise CollectionChangedError(
            f"{row.owner}/{row.name} has revision {row.revision} by now (by {row.updated_by}), and your change "
            f"began at {body.revision}: read it again and repeat the change."
        )
    if not row.is_private and is_private_after(was_private=False, wanted=body.visibility):
        raise CollectionChangedError(
            f"{row.owner}/{row.name} is public, and was read: write it under another name to keep it private."
        )


def _checked_entries(work: UnitOfWork, entries: list[CollectionEntry]) -> list[tuple[CollectionEntry, PackageRow]]:
    """Each entry with its package, and the version as the package spells it. Raises for what is not there."""
    return [
        (
            entry.model_copy(update={"version": catalog.get_release(work, entry.package, entry.version).version})
            if entry.version
            else entry,
            catalog.get_package_row(work, entry.package),
        )
        for entry in entries
    ]


def _replace_entries(work: UnitOfWork, row: CollectionRow, entries: list[tuple[CollectionEntry, PackageRow]]) -> None:
    private = {package.id: package.owner for _, package in entries if package.is_private}
    if reason := why_not_held(row.owner, is_private=row.is_private, private=private):
        raise InvalidRequestError(reason)
    rows = [
        CollectionEntryRow(
            collection_id=row.id,
            position=position,
            package_id=package.id,
            version=entry.version or "",
            note=entry.note,
        )
        for position, (entry, package) in enumerate(entries)
    ]
    work.session.flush()
    queries.replace_entries(work.session, row.id, rows)


def delete_collection(work: UnitOfWork, owner: str, name: str) -> None:
    """Delete a collection. Its packages are left as they are."""
    _require_writer(work, owner)
    queries.delete_collection(work.session, get_row(work, owner, name))


def set_hidden(work: UnitOfWork, owner: str, name: str, reason: str | None) -> None:
    """Hide a collection from everybody but moderators, with a reason, or show it again (None).

    ``moderation`` decides who may, and writes it down.
    """
    row = get_row(work, owner, name)
    if (row.hidden_reason is None) == (reason is None):
        raise InvalidRequestError(f"{owner}/{name} is {'not ' if reason is None else ''}hidden already.")
    row.hidden_reason = reason
