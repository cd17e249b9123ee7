"""Wheels on local disk by digest, and their contents."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from schemas.task import Task
from schemas.wheels.wheel import WheelContents


class WheelCache(Protocol):
    """A bounded local cache over the blob store."""

    def path(self, digest: str) -> Path:
        """A local file with exactly these bytes (verified when it was fetched)."""
        ...

    def forget(self, digest: str) -> None:
        """Remove the local file and what is kept of it in memory. Harmless when there is nothing."""
        ...

    def contents(self, digest: str) -> WheelContents:
        """The parsed wheel; the latest few are kept in memory."""
        ...

    def tasks_by_id(self, digest: str, split: str) -> Mapping[str, Task]:
        """The tasks of a file split by id, with answers; the latest few splits are kept in memory.

        Raises ``KeyError`` for an unknown split, ``ValueError`` for one that a function generates.
        """
        ...

    def task_lines(self, digest: str, split: str, *, answers: bool) -> Iterator[bytes]:
        """The tasks of a file split as lines of JSON. A split that was read to its end is kept, if memory has room.

        Raises as :meth:`tasks_by_id` does, when the first line is read.
        """
        ...
