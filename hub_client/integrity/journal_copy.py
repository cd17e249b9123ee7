"""A copy of a hub's whole journal in a file. Each line is one signed envelope, checked before it is written."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import ValidationError

from hub_client.errors import IntegrityError, UsageError
from hub_client.integrity.journal import Journal
from hub_client.integrity.known_hubs import KnownHub, read_checkpoint
from hub_client.transport.requests import journal as requests
from hub_client.transport.requests.call import ApiCall
from schemas.journal.entries import Envelope, JournalCheckpoint, JournalPage, Statement, decode, decode_hashes
from schemas.journal.merkle import GrowingTree, check_consistency

Result = TypeVar("Result")


class Sender(Protocol):
    """What is used of a hub."""

    def send(self, call: ApiCall[Result]) -> Result: ...


@dataclass(frozen=True)
class CopiedEntry:
    """An entry that is new in the copy, at ``position``."""

    position: int
    statement: Statement


class JournalCopy:
    """The copy in ``path``, which is created with the first entry. Any contradiction raises :class:`IntegrityError`."""

    def __init__(self, path: Path, journal: Journal, hub: Sender) -> None:
        self._path = path
        self._journal = journal
        self._hub = hub
        self._tree = GrowingTree()
        self._kept = (self._tree.size, self._tree.root)

    @property
    def size(self) -> int:
        """How many entries the copy has."""
        return self._kept[0]

    @property
    def root(self) -> bytes:
        """The root hash of the copy. Two copies with the same root are the same journal."""
        return self._kept[1]

    def bring_up_to_date(self) -> Iterator[CopiedEntry]:
        """Fetch, check and append what is new, a page at a time. A page is yielded when it is on the disk.

        Raises ``OSError`` where the disk does not take a page; the pages before stay.
        """
        self._read()
        while True:
            page = self._next_page()
            known = self._journal.follow(page.checkpoint)
            checkpoint = read_checkpoint(page.checkpoint)[1]
            fresh = list(self._checked(page, known))
            self._prove(checkpoint)
            self._append(page)
            yield from fresh
            if self._tree.size == checkpoint.size:
                return
            if not fresh:
                raise self._fault(f"the hub signs {checkpoint.size} entries, and shows no more than {self._tree.size}")

    def _next_page(self) -> JournalPage:
        try:
            page = self._hub.send(requests.list_entries(self._tree.size))
        except UsageError:
            raise self._fault(
                f"the journal of the hub is shorter than the {self._tree.size} entries of the copy"
            ) from None
        if not page.checkpoint:
            raise UsageError("this hub is too old: its lists of entries bring no checkpoint")
        return page

    def _checked(self, page: JournalPage, known: KnownHub) -> Iterator[CopiedEntry]:
        for item in page.items:
            if item.position != self._tree.size:
                raise self._fault(f"entry {self._tree.size} is missing")
            statement = known.open_envelope(item.envelope)
            yield CopiedEntry(self._tree.size, statement)
            self._tree.add(decode(item.envelope.payload))

    def _prove(self, checkpoint: JournalCheckpoint) -> None:
        """That the copy, with the new page, is the beginning of the journal that the hub has signed."""
        if self._tree.size > checkpoint.size:
            raise self._fault(f"the hub signs {checkpoint.size} entries, and the copy has {self._tree.size}")
        hashes: list[str] = []
        if 0 < self._tree.size < checkpoint.size:
            hashes = self._hub.send(requests.get_consistency(self._tree.size, checkpoint.size)).hashes
        try:
            check_consistency(self._tree.size, checkpoint.size, self._tree.root, checkpoint.root, decode_hashes(hashes))
        except ValueError as error:
            raise self._fault(str(error)) from None

    def _read(self) -> None:
        """Hash what the file holds. A line that a killed run left unfinished is cut off."""
        if not self._path.exists():
            return
        good = 0
        with self._path.open("rb+") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                try:
                    self._tree.add(decode(Envelope.model_validate_json(line).payload))
                except (ValidationError, ValueError):
                    raise IntegrityError(
                        f"line {self._tree.size + 1} of {self._path} is no entry of a journal"
                    ) from None
                good += len(line)
            file.truncate(good)
        self._kept = (self._tree.size, self._tree.root)

    def _append(self, page: JournalPage) -> None:
        if not page.items:
            return
        lines = b"".join(item.envelope.model_dump_json().encode() + b"\n" for item in page.items)
        with self._path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                while lines:
                    lines = lines[file.write(lines) :]
                os.fsync(file.fileno())
            except OSError as error:  # a full disk takes a part of a page: that part would be no journal's
                file.truncate(before)
                raise OSError(error.errno, error.strerror, str(self._path)) from error
        self._kept = (self._tree.size, self._tree.root)

    def _fault(self, why: str) -> IntegrityError:
        return IntegrityError(
            f"{self._path} is not the beginning of the journal of {self._journal.url}: {why}. The file was damaged, or "
            "the hub changed its past: compare with somebody else's copy, and tell whoever runs the hub"
        )
