"""What lists show of packages: columns, since a row that can be changed costs several times more to make."""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from hub_server.catalog.models import PackageFacetRow, PackageRow, ReleaseRow
from hub_server.database.many_values import one_of

_STATEMENTS = 4
"""One for each kind of database is used."""


class CardPackage(NamedTuple):
    """What a list shows of a package."""

    id: str
    kind: str
    summary: str
    licence: str
    latest_version: str | None
    shown_release_id: str | None
    updated_at: datetime
    downloads: int
    grade: str
    audit_summary: dict[str, Any] | None
    is_private: bool
    is_listed: bool
    archived_reason: str | None


class CardRelease(NamedTuple):
    """What a list shows of a release."""

    digest: str
    audit_state: str
    manifest: dict[str, Any]


CARD: tuple[InstrumentedAttribute[Any], ...] = tuple(getattr(PackageRow, name) for name in CardPackage._fields)
"""The columns of a :class:`CardPackage`, in its order."""


def packages_for_cards(session: Session, ids: Collection[str]) -> dict[str, CardPackage]:
    """Packages by id, listed or not, in one statement."""
    wanted, parameters = one_of(session, PackageRow.id, ids)
    return {row[0]: CardPackage(*row) for row in session.execute(_packages(wanted), parameters)}


@lru_cache(_STATEMENTS)
def _packages(wanted: ColumnElement[bool]) -> Select[Any]:
    return select(*CARD).where(wanted)


def releases_for_cards(session: Session, release_ids: Iterable[str]) -> dict[str, CardRelease]:
    """What cards show of releases, by id, in one statement."""
    wanted, parameters = one_of(session, ReleaseRow.id, release_ids)
    return {row[0]: CardRelease(*row[1:]) for row in session.execute(_releases(wanted), parameters)}


@lru_cache(_STATEMENTS)
def _releases(wanted: ColumnElement[bool]) -> Select[Any]:
    return select(ReleaseRow.id, ReleaseRow.digest, ReleaseRow.audit_state, ReleaseRow.manifest).where(wanted)


def tags_of(session: Session, package_ids: Collection[str]) -> dict[str, list[str]]:
    """Tags by package, in one statement; in order."""
    found: dict[str, list[str]] = {package_id: [] for package_id in package_ids}
    wanted, parameters = one_of(session, PackageFacetRow.package_id, package_ids)
    for package_id, value in session.execute(_tags(wanted), parameters):
        found[package_id].append(value)
    return found


@lru_cache(_STATEMENTS)
def _tags(wanted: ColumnElement[bool]) -> "Select[str, str]":
    statement = select(PackageFacetRow.package_id, PackageFacetRow.value)
    # As an expression, since SQLite would else look through the tags of all packages: 140 ms for 50,000.
    is_tag = PackageFacetRow.facet.concat("") == "tag"
    return statement.where(wanted, is_tag).order_by(PackageFacetRow.value)
