"""Every SQL statement about the letters of releases for which cases were drawn."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import or_, select, text
from sqlalchemy.orm import Session

from hub_server.audits.models import DrawRow
from hub_server.catalog.models import FormerOwnerRow, PackageRow, ReleaseRow
from hub_server.database.visibility import EVERYTHING, seeing

_LOCK = 7236452193  # any number, but another than in database/package_changes.py and publishing/queries.py


def take_turn(session: Session) -> None:
    """Let no other transaction give a letter until this one ends: of two that end at once, one comes second.

    On SQLite a transaction that writes excludes every other one already.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def find_draw(session: Session, release_id: str) -> DrawRow | None:
    """The release's letter, or None where no case was drawn for it."""
    return session.get(DrawRow, release_id)


def draws_near(session: Session, package_id: str, code: str, people: Collection[str]) -> list[tuple[DrawRow, datetime]]:
    """The letters of a package, of the same code, and of all packages that one of ``people`` has, had or published.

    Each with when its release was published, which is all that is read of it.

    Whoever asks: also what they do not see is a try.
    """
    theirs = select(PackageRow.id).where(PackageRow.owner.in_(people))
    once_theirs = select(FormerOwnerRow.package_id).where(FormerOwnerRow.owner.in_(people))
    published = select(ReleaseRow.package_id).where(ReleaseRow.published_by.in_(people))
    near = [
        DrawRow.package_id == package_id,
        *(DrawRow.package_id.in_(one) for one in (theirs, once_theirs, published)),
    ]
    if code:
        near.append(DrawRow.code == code)
    statement = (
        select(DrawRow, ReleaseRow.published_at).join(ReleaseRow, ReleaseRow.id == DrawRow.release_id).where(or_(*near))
    )
    with seeing(session, EVERYTHING):
        return [(row[0], row[1]) for row in session.execute(statement)]
