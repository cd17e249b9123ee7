"""Full text search over packages. It is a port because every database does it in its own way."""

from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Subquery
from sqlalchemy.orm import Session


@dataclass(frozen=True)
class SearchDocument:
    """The searchable fields of a package, the most important first."""

    name: str
    tags: str
    summary: str
    readme: str


class SearchIndex(Protocol):
    """Its rows are written in the transaction of the given session."""

    def put(self, session: Session, package_id: str, document: SearchDocument) -> None:
        """Index or re-index one package."""
        ...

    def matches(self, text: str, *, is_filtered: bool = False) -> Subquery | None:
        """A subquery with columns ``package_id`` and ``rank`` (smaller is better); None when ``text`` holds no word.

        Only the best thousand are in it, unless ``is_filtered``: what a filter keeps may rank below them.
        ``text`` is a stranger's: every operator of the engine's query language in it is taken as plain text.
        """
        ...
