"""Every SQL statement about releases whose source is alike."""

import contextlib

from sqlalchemy import delete, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.audits.models import (
    NeighbourRow,
    SourceMinhashRow,
)
from hub_server.catalog.models import ReleaseRow


def find_minhash(session: Session, release_id: str) -> SourceMinhashRow | None:
    """The MinHash signature of a release's source, or None."""
    return session.get(SourceMinhashRow, release_id)


def add_minhash(session: Session, row: SourceMinhashRow) -> None:
    """Keep a signature. Of two workers that make the same one at once, one writes it."""
    with contextlib.suppress(IntegrityError), session.begin_nested():
        session.add(row)


def forget_neighbours(session: Session, release_id: str) -> None:
    """Drop a release's neighbours, seen from either side."""
    either = or_(NeighbourRow.release_id == release_id, NeighbourRow.other_release_id == release_id)
    session.execute(delete(NeighbourRow).where(either))


def neighbours_of(session: Session, release_id: str) -> list[tuple[NeighbourRow, ReleaseRow]]:
    """A release's neighbours with their releases; quarantined ones stay out."""
    statement = select(NeighbourRow, ReleaseRow).join(ReleaseRow, ReleaseRow.id == NeighbourRow.other_release_id)
    rows = session.execute(statement.where(NeighbourRow.release_id == release_id, ReleaseRow.state != "quarantined"))
    return [(row[0], row[1]) for row in rows]
