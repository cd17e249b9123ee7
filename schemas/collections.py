"""Collections: curated lists of packages, each with a page, and what an account sends to write one."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from schemas.base import WireModel
from schemas.names import InvalidNameError, PackageId, Reference, VersionText, check_package_id
from schemas.package import AuditSummary, PackageCard, Visibility
from schemas.titles import Title

MOST_ENTRIES = 200
"""Packages in one collection."""
MOST_TEXT = 20_000
"""Characters of a collection's text."""
MOST_NOTE = 500
"""Characters of the note beside an entry."""
CollectionId = Annotated[str, AfterValidator(check_package_id)]
"""``owner/name``, spelt as a package's id. A package and a collection may have the same one."""


class CollectionEntry(WireModel):
    """A package in a collection. ``version``: the release that is meant; None: the latest, whichever that is."""

    package: PackageId
    version: VersionText | None = None
    note: str = Field("", max_length=MOST_NOTE)

    @classmethod
    def parse(cls, reference: str, note: str = "") -> Self:
        """An entry by ``owner/name`` or ``owner/name@1.2.0``. Raises ``InvalidNameError``, ``ValidationError``."""
        read = Reference.parse(reference)
        if read.digest is not None or read.specifier is not None:
            raise InvalidNameError(
                f"{reference!r} names no single version: write {read.package} or {read.package}@1.2.0"
            )
        return cls(package=read.package, version=read.version, note=note)

    @property
    def reference(self) -> str:
        """``owner/name``, or ``owner/name@1.2.0``."""
        return self.package if self.version is None else f"{self.package}@{self.version}"


class CollectionWrite(WireModel):
    """A whole collection, as its owner writes it. ``text`` is Markdown; the entries keep their order.

    ``visibility`` None: as it is; a new one is public. ``revision``: the one that was read before the change; the hub
    refuses the change when somebody else was faster. 0: there must be none yet. None: overwrite.
    """

    title: Title
    text: str = Field("", max_length=MOST_TEXT)
    entries: list[CollectionEntry] = Field(default_factory=list, max_length=MOST_ENTRIES)
    visibility: Visibility | None = None
    revision: int | None = Field(None, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _check_entries(self) -> Self:
        seen: set[str] = set()
        for entry in self.entries:
            if entry.reference in seen:
                raise ValueError(f"{entry.reference} stands in the list twice")
            seen.add(entry.reference)
        return self


class CollectionSummary(WireModel):
    """A collection as a list shows it. ``entry_count``: of the entries that the reader may see."""

    id: CollectionId
    title: str
    visibility: Visibility
    entry_count: int
    created_at: datetime
    updated_at: datetime


class ShownEntry(CollectionEntry):
    """An entry with its package's card. ``card`` None: moderators withhold the package, or nothing of it is usable."""

    card: PackageCard | None = None
    audit: AuditSummary | None = None
    """What was measured of the release that is meant: the pinned one, or what the card shows."""


class Collection(CollectionSummary):
    """A collection with its text and entries. ``hidden_reason``: why moderators do not show it; None: they do."""

    owner: str
    text: str
    entries: list[ShownEntry]
    revision: int
    """Grows with every change."""
    hidden_reason: str | None = None
