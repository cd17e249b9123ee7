"""The bytes of releases: whether they are all there and whole, and which of the store's no release needs."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from hub_server.database.visibility import EVERYTHING
from hub_server.errors import BlobMissingError
from hub_server.kernel.services import Services
from hub_server.ports.blob_store import StoredBlob
from hub_server.publishing import queries


@dataclass(frozen=True)
class Damage:
    """Why a release cannot be downloaded. ``kind``: missing (no bytes) or damaged (not those of its digest)."""

    kind: str
    release: str
    """``owner/name version``."""
    digest: str


def needed_bytes(services: Services) -> list[tuple[str, int, str]]:
    """(digest, bytes, ``owner/name version``) of every release that was not taken down."""
    with services.database.reading(sees=EVERYTHING) as session:
        return list(queries.needed_bytes(session))


def check_bytes(services: Services, *, reads_bytes: bool = True) -> Iterator[Damage]:
    """Every release whose bytes are missing or not what its digest says. The hub may run meanwhile.

    ``reads_bytes``: hash all of them; else a blob is sound when its size is right.
    """
    needed = needed_bytes(services)
    sizes = {blob.digest: blob.size_bytes for blob in services.blobs.entries()}
    for digest, size_bytes, release in needed:
        kind = "missing" if digest not in sizes else "damaged" if sizes[digest] != size_bytes else ""
        if not kind and reads_bytes:
            kind = _fault_of(services, digest)
        if kind and _is_still_needed(services, digest):
            yield Damage(kind, release, digest)


def _fault_of(services: Services, digest: str) -> str:
    found = hashlib.sha256()
    try:
        for chunk in services.blobs.stream(digest):
            found.update(chunk)
    except BlobMissingError:
        return "missing"
    return "" if f"sha256:{found.hexdigest()}" == digest else "damaged"


def _is_still_needed(services: Services, digest: str) -> bool:
    """False where the release was taken down since the check began."""
    with services.database.reading(sees=EVERYTHING) as session:
        return queries.is_needed(session, digest)


def collect_unused(services: Services, grace: timedelta, *, keeps: bool = False) -> Iterator[StoredBlob]:
    """Delete bytes older than ``grace`` that neither a release nor an unfinished upload needs; yields each blob then.

    The hub may run meanwhile: a lock keeps a blob from being deleted between a publish's last check that the blob is
    stored and the publish's commit. ``keeps``: delete nothing, only yield.
    """
    newest = services.clock.now() - grace
    needed = {digest for digest, _, _ in needed_bytes(services)}
    with services.database.reading(sees=EVERYTHING) as session:
        needed |= queries.all_parts(session)
    for blob in services.blobs.entries():
        if blob.digest in needed or blob.stored_at > newest:
            continue
        if not keeps and not delete_if_unused(services, blob.digest):
            continue
        yield blob


def delete_if_unused(services: Services, digest: str) -> bool:
    """Delete the bytes, unless a release or an unfinished upload needs them. Returns whether it did."""
    with services.database.writing(sees=EVERYTHING) as session:
        queries.exclude_publishes(session)
        if queries.is_needed(session, digest):
            return False
        services.blobs.delete(digest)
    services.wheels.forget(digest)
    return True
