"""Requests to the hub that is mirrored. Each answer has a limit of size and must have the right form."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from pydantic import ValidationError

from hub_server.errors import StorageUnavailableError
from hub_server.kernel.services import Services
from hub_server.mirror.errors import NotThereError, OriginAwayError, UntrueError
from hub_server.ports.outgoing_http import OutgoingError
from schemas.base import WireModel
from schemas.events import EventPage
from schemas.evidence.audit import AuditRecord
from schemas.journal.entries import ConsistencyProof, JournalPage
from schemas.journal.signing_keys import SigningKeys
from schemas.package import PackageDetail, Release
from schemas.page import Page

Answer = TypeVar("Answer", bound=WireModel)
PAGE = 100
_RELEASES = 20
"""In a page: each may bring a large manifest."""
_AUDITS = 3
"""Of a release are read: the newest may be under way still."""
_NOT_THERE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class OriginHub:
    """Asks the other hub. Raises ``OriginAwayError``, ``NotThereError``, and ``UntrueError`` for wrong bytes."""

    def __init__(self, services: Services) -> None:
        self._outgoing = services.outgoing
        self._settings = services.settings.mirror
        self._wheel_bytes = services.settings.limits.wheel_bytes
        self.url = self._settings.of

    def entries(self, start: int) -> JournalPage:
        """Entries from position ``start`` on. Raises ``UntrueError`` where the journal is shorter."""
        status, body = self._read(f"/journal/entries?{urlencode({'start': start, 'limit': PAGE})}")
        if status == HTTPStatus.UNPROCESSABLE_ENTITY:
            raise UntrueError(f"the journal of {self.url} is shorter than the {start} entries that were copied of it")
        return self._parsed(JournalPage, status, body)

    def consistency(self, old: int, new: int) -> list[str]:
        """The proof that the first ``old`` entries are the beginning of ``new``."""
        return self._get(ConsistencyProof, f"/journal/consistency?{urlencode({'old': old, 'new': new})}").hashes

    def keys(self) -> SigningKeys:
        """Its keys, the current one first."""
        return self._get(SigningKeys, "/keys")

    def events(self, since: int) -> EventPage:
        """Public events after ``since``. Raises ``NotThereError`` where it has fewer."""
        status, body = self._read(f"/events?{urlencode({'since': since, 'limit': PAGE})}")
        if status == HTTPStatus.UNPROCESSABLE_ENTITY:
            raise NotThereError(f"event {since}")
        return self._parsed(EventPage, status, body)

    def package(self, package_id: str) -> PackageDetail:
        """A package as it is shown."""
        return self._get(PackageDetail, f"/packages/{package_id}")

    def releases(self, package_id: str, most: int) -> dict[str, Release]:
        """Its releases by version, from as many pages as ``most`` releases need."""
        found: dict[str, Release] = {}
        cursor: str | None = None
        for _ in range(most // _RELEASES + 1):
            query = {"limit": str(_RELEASES)} | ({"cursor": cursor} if cursor else {})
            page = self._get(Page[Release], f"/packages/{package_id}/releases?{urlencode(query)}")
            found |= {one.version: one for one in page.items if one.package == package_id}
            cursor = page.next
            if not cursor:
                break
        return found

    def audits(self, package_id: str, version: str) -> list[AuditRecord]:
        """The newest audits of a release, newest first."""
        path = f"/packages/{package_id}/releases/{quote(version, safe='')}/audits?limit={_AUDITS}"
        return self._get(Page[AuditRecord], path).items

    def fetch_wheel(self, package_id: str, version: str, digest: str, into: Path) -> None:
        """Write the bytes whose digest is ``digest`` to a file, piece by piece as they come.

        Raises ``UntrueError`` where others came: what the file holds then is worth nothing.
        """
        path = f"/packages/{package_id}/releases/{quote(version, safe='')}/wheel"
        url, found = f"{self.url}/api/v1{path}", hashlib.sha256()
        try:
            with _written(into, found.update) as keep:
                status = self._outgoing.fetch(url, keep, most_bytes=self._wheel_bytes, seconds=self._settings.seconds)
        except OutgoingError as error:
            raise OriginAwayError(f"{url}: {error}") from None
        self._check_status(status, path)
        if f"sha256:{found.hexdigest()}" != digest:
            raise UntrueError(f"{self.url} gives other bytes for {package_id} {version} than its journal names")

    def _get(self, model: type[Answer], path: str) -> Answer:
        return self._parsed(model, *self._read(path), path=path)

    def _read(self, path: str) -> tuple[int, bytes]:
        url, limits = f"{self.url}/api/v1{path}", self._settings
        try:
            return self._outgoing.read(url, most_bytes=limits.answer_bytes, seconds=limits.seconds)
        except OutgoingError as error:
            raise OriginAwayError(f"{url}: {error}") from None

    def _parsed(self, model: type[Answer], status: int, body: bytes, *, path: str = "") -> Answer:
        self._check_status(status, path)
        try:
            data: Any = json.loads(body)
            return model.read(data)
        except (ValueError, RecursionError, ValidationError) as error:
            raise OriginAwayError(f"{self.url}{path}: the answer cannot be read ({type(error).__name__})") from None

    def _check_status(self, status: int, path: str) -> None:
        if status in _NOT_THERE:
            raise NotThereError(path)
        if status != HTTPStatus.OK:
            raise OriginAwayError(f"{self.url}{path} answered {status}")


@contextmanager
def _written(path: Path, also: Callable[[bytes], object]) -> Iterator[Callable[[bytes], object]]:
    """What writes pieces to a file, and hands each to ``also``. Raises ``StorageUnavailableError`` on a full disk."""
    try:
        with path.open("wb") as file:

            def write(piece: bytes) -> None:
                also(piece)
                try:
                    file.write(piece)
                except OSError as error:  # told apart from what the connection may raise
                    raise _full(error) from error

            yield write
    except OSError as error:
        raise _full(error) from error


def _full(error: OSError) -> StorageUnavailableError:
    return StorageUnavailableError(f"The wheel cannot be kept now: {error.strerror}.")
