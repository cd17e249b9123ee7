"""Every SQL statement about releases whose source is alike."""

import contextlib
from collections.abc import Sequence
from functools import cache

from sqlalchemy import Select, bindparam, delete, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.audits.models import (
    NeighbourRow,
    SourceMinhashRow,
)
from hub_server.catalog.models import ReleaseRow

_MOST_IN_ONE_STATEMENT = 500  # older SQLite takes 999 values


def find_minhashes(session: Session, release_ids: Sequence[str]) -> dict[str, list[int]]:
    """The MinHash signatures of releases' sources by the release's id, those left out that were not kept."""
    found: dict[str, list[int]] = {}
    for start in range(0, len(release_ids), _MOST_IN_ONE_STATEMENT):
        part = release_ids[start : start + _MOST_IN_ONE_STATEMENT]
        wanted = select(SourceMinhashRow.release_id, SourceMinhashRow.minhash)
        for release_id, minhash in session.execute(wanted.where(SourceMinhashRow.release_id.in_(part))):
            found[release_id] = list(minhash["minima"])
    return found


def add_minhash(session: Session, row: SourceMinhashRow) -> None:
    """Keep a signature. Of two workers that make the same one at once, one writes it."""
    with contextlib.suppress(IntegrityError), session.begin_nested():
        session.add(row)


def forget_neighbours(session: Session, release_id: str) -> None:
    """Drop a release's neighbours, seen from either side."""
    either = or_(NeighbourRow.release_id == release_id, NeighbourRow.other_release_id == release_id)
    session.execute(delete(NeighbourRow).where(either))


def copies_of(session: Session, release_id: str, same_source: float) -> set[str]:
    """Ids of releases that behave like it, or whose code is the same by so large a share."""
    is_copy = or_(NeighbourRow.behaves_alike, NeighbourRow.source_similarity >= same_source)
    statement = select(NeighbourRow.other_release_id).where(NeighbourRow.release_id == release_id, is_copy)
    return set(session.scalars(statement))


def neighbours_of(session: Session, release_id: str) -> list[tuple[NeighbourRow, str, str]]:
    """A release's neighbours, each with the package and version of the other release; quarantined ones stay out."""
    rows = session.execute(_neighbours(), {"release": release_id})
    return [(row[0], row[1], row[2]) for row in rows]


@cache
def _neighbours() -> "Select[NeighbourRow, str, str]":
    statement = select(NeighbourRow, ReleaseRow.package_id, ReleaseRow.version)
    statement = statement.join(ReleaseRow, ReleaseRow.id == NeighbourRow.other_release_id)
    return statement.where(NeighbourRow.release_id == bindparam("release"), ReleaseRow.state != "quarantined")
