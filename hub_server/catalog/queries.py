"""Every SQL statement about packages and releases."""

from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, and_, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer

from hub_server.catalog.models import DownloadDayRow, PackageRow, PackageTagRow, ReleaseFileRow, ReleaseRow
from hub_server.catalog.rules import SearchRequest
from schemas.package import ReleaseFile

FACETS = ("kind", "tag", "grade", "licence", "owner")
FACET_VALUES = 40
Found = Subquery | None
_WITHOUT_README = defer(ReleaseRow.readme)


def find_package(session: Session, package_id: str) -> PackageRow | None:
    """The package, or None."""
    return session.get(PackageRow, package_id)


def lock_package(session: Session, package_id: str) -> PackageRow | None:
    """The package, locked until the transaction ends, so that only one transaction at a time updates what follows from
    it.
    """
    statement = select(PackageRow).where(PackageRow.id == package_id).with_for_update()
    return session.scalar(statement.execution_options(populate_existing=True))


def add_package_if_absent(session: Session, package: PackageRow) -> bool:
    """Insert ``package``. False when somebody else was faster; then only this insert is rolled back."""
    try:
        with session.begin_nested():
            session.add(package)
    except IntegrityError:
        return False
    return True


def add_release(session: Session, release: ReleaseRow, files: list[ReleaseFile]) -> None:
    """Insert a release with its files."""
    session.add(release)
    session.flush()
    session.add_all(
        ReleaseFileRow(release_id=release.id, path=file.path, size=file.size, sha256=file.sha256) for file in files
    )


def list_package_ids(session: Session) -> list[str]:
    """Ids of all listed packages, in order."""
    return list(session.scalars(select(PackageRow.id).where(PackageRow.is_listed).order_by(PackageRow.id)))


def ids_like(session: Session, text: str, limit: int) -> list[str]:
    """Ids of listed packages that begin, or whose names begin or end, as ``text`` does; the last changed first."""
    name = text.rsplit("/", 1)[-1]
    begins = or_(
        PackageRow.id.startswith(text[:2], autoescape=True),
        PackageRow.id.contains("/" + name[:2], autoescape=True),
        PackageRow.id.endswith(name[-3:], autoescape=True),
    )
    statement = select(PackageRow.id).where(PackageRow.is_listed, begins)
    return list(session.scalars(statement.order_by(PackageRow.updated_at.desc(), PackageRow.id).limit(limit)))


def releases_of(session: Session, package_id: str) -> list[ReleaseRow]:
    """Every release, highest version first. A README is read when it is asked for: each may have a megabyte."""
    statement = select(ReleaseRow).options(_WITHOUT_README).where(ReleaseRow.package_id == package_id)
    return list(session.scalars(statement.order_by(ReleaseRow.version_key.desc())))


def count_releases(session: Session, package_id: str) -> int:
    """How many releases a package has."""
    return session.scalar(select(func.count()).select_from(ReleaseRow).where(ReleaseRow.package_id == package_id)) or 0


def page_of_releases(session: Session, package_id: str, before_key: str | None, limit: int) -> list[ReleaseRow]:
    """Releases below ``before_key``, highest version first."""
    statement = select(ReleaseRow).options(_WITHOUT_README).where(ReleaseRow.package_id == package_id)
    if before_key is not None:
        statement = statement.where(ReleaseRow.version_key < before_key)
    return list(session.scalars(statement.order_by(ReleaseRow.version_key.desc()).limit(limit)))


def find_release_by_key(session: Session, package_id: str, key: str) -> ReleaseRow | None:
    """The release with that version key, or None."""
    return session.scalar(select(ReleaseRow).where(ReleaseRow.package_id == package_id, ReleaseRow.version_key == key))


def find_release_by_digest(session: Session, package_id: str, digest: str) -> ReleaseRow | None:
    """The release with those bytes, or None."""
    return session.scalar(select(ReleaseRow).where(ReleaseRow.package_id == package_id, ReleaseRow.digest == digest))


def find_release_by_id(session: Session, release_id: str) -> ReleaseRow | None:
    """The release, or None."""
    return session.get(ReleaseRow, release_id)


def releases_by_ids(session: Session, release_ids: list[str]) -> dict[str, ReleaseRow]:
    """Releases by id, in one statement."""
    rows = session.scalars(select(ReleaseRow).options(_WITHOUT_README).where(ReleaseRow.id.in_(release_ids)))
    return {row.id: row for row in rows}


def files_of(session: Session, release_id: str) -> list[ReleaseFileRow]:
    """Every file of a release, by path."""
    statement = select(ReleaseFileRow).where(ReleaseFileRow.release_id == release_id)
    return list(session.scalars(statement.order_by(ReleaseFileRow.path)))


def tags_of(session: Session, package_ids: list[str]) -> dict[str, list[str]]:
    """Tags by package."""
    tags: dict[str, list[str]] = {package_id: [] for package_id in package_ids}
    statement = select(PackageTagRow).where(PackageTagRow.package_id.in_(package_ids)).order_by(PackageTagRow.tag)
    for row in session.scalars(statement):
        tags[row.package_id].append(row.tag)
    return tags


def packages_of(session: Session, owner: str) -> list[PackageRow]:
    """Every package of an owner, listed or not."""
    return list(session.scalars(select(PackageRow).where(PackageRow.owner == owner).order_by(PackageRow.id)))


def remove_files(session: Session, release_id: str) -> None:
    """Forget which files a release held."""
    session.execute(delete(ReleaseFileRow).where(ReleaseFileRow.release_id == release_id))


def replace_tags(session: Session, package_id: str, tags: list[str]) -> None:
    """Set a package's tags."""
    session.execute(delete(PackageTagRow).where(PackageTagRow.package_id == package_id))
    session.add_all(PackageTagRow(package_id=package_id, tag=tag) for tag in sorted(set(tags)))


def count_download(session: Session, release_id: str, package_id: str, day: str) -> None:
    """One more download, on ``day`` (``2026-11-21``)."""
    session.execute(update(ReleaseRow).where(ReleaseRow.id == release_id).values(downloads=ReleaseRow.downloads + 1))
    session.execute(update(PackageRow).where(PackageRow.id == package_id).values(downloads=PackageRow.downloads + 1))
    # The package's row is locked by now, so nobody else adds the day between the two statements.
    today = session.get(DownloadDayRow, (package_id, day), populate_existing=True)
    if today is None:
        session.add(DownloadDayRow(package_id=package_id, day=day, downloads=1))
    else:
        today.downloads += 1


def downloads_since(session: Session, package_id: str, day: str) -> dict[str, int]:
    """Downloads by day from ``day`` on."""
    statement = select(DownloadDayRow.day, DownloadDayRow.downloads).where(
        DownloadDayRow.package_id == package_id, DownloadDayRow.day >= day
    )
    return dict(session.execute(statement).all())


def count_replays(session: Session, digest: str, compared: int, mismatches: int) -> None:
    """So many more calls were run again one level up, and so many of them judged differently."""
    session.execute(
        update(ReleaseRow)
        .where(ReleaseRow.digest == digest)
        .values(
            replayed_count=ReleaseRow.replayed_count + compared,
            replay_mismatch_count=ReleaseRow.replay_mismatch_count + mismatches,
        )
    )


def newest_releases(session: Session, package_id: str | None, owner: str | None, limit: int) -> list[ReleaseRow]:
    """What was published last, for feeds; quarantined releases stay out."""
    statement = select(ReleaseRow).options(_WITHOUT_README).where(ReleaseRow.state != "quarantined")
    if package_id is not None:
        statement = statement.where(ReleaseRow.package_id == package_id)
    if owner is not None:
        statement = statement.join(PackageRow, PackageRow.id == ReleaseRow.package_id).where(PackageRow.owner == owner)
    newest = statement.order_by(ReleaseRow.published_at.desc(), ReleaseRow.id.desc())
    return list(session.scalars(newest.limit(limit)))


def count_everything(session: Session) -> dict[str, int]:
    """Packages and releases, for the metrics."""
    return {
        "packages": session.scalar(select(func.count()).select_from(PackageRow)) or 0,
        "releases": session.scalar(select(func.count()).select_from(ReleaseRow)) or 0,
    }


def search(
    session: Session, request: SearchRequest, found: Found, after: list[Any] | None
) -> list[tuple[PackageRow, Any]]:
    """One page and one row more, with the value that each row is sorted by."""
    key, descending = _order(request, found)
    statement = _filtered(select(PackageRow, key), request, found)
    if after is not None:
        last_key, last_id = after
        beyond = key < last_key if descending else key > last_key
        statement = statement.where(or_(beyond, and_(key == last_key, PackageRow.id > last_id)))
    ordered = statement.order_by(key.desc() if descending else key.asc(), PackageRow.id.asc())
    return [(row[0], row[1]) for row in session.execute(ordered.limit(request.limit + 1))]


def count_found(session: Session, request: SearchRequest, found: Found) -> int:
    """How many packages the search has, over all pages."""
    return session.scalar(_filtered(select(func.count(PackageRow.id)), request, found)) or 0


def count_facets(session: Session, request: SearchRequest, found: Found) -> dict[str, dict[str, int]]:
    """Packages by value of each facet, every *other* facet's choice applied."""
    return {facet: _count_facet(session, request, found, facet) for facet in FACETS}


def _count_facet(session: Session, request: SearchRequest, found: Found, facet: str) -> dict[str, int]:
    column = _facet_column(facet)
    count = func.count(PackageRow.id)
    statement = select(column, count)
    if facet == "tag":
        statement = statement.select_from(PackageRow).join(PackageTagRow, PackageTagRow.package_id == PackageRow.id)
    statement = _filtered(statement, request, found, without=facet).group_by(column)
    rows = session.execute(statement.order_by(count.desc(), column.asc()).limit(FACET_VALUES))
    return {value: number for value, number in rows if value}


def _facet_column(facet: str) -> Any:
    return PackageTagRow.tag if facet == "tag" else getattr(PackageRow, facet)


def _order(request: SearchRequest, found: Found) -> tuple[Any, bool]:
    """The column to sort by, and whether the largest comes first."""
    if request.order == "relevance":
        return (found.c.rank if found is not None else PackageRow.id), False
    columns: dict[str, tuple[Any, bool]] = {
        "updated": (PackageRow.updated_at, True),
        "newest": (PackageRow.created_at, True),
        "downloads": (PackageRow.downloads, True),
        "error": (PackageRow.error_bound, False),
        "name": (PackageRow.id, False),
    }
    return columns[request.order]


def _filtered(statement: Select[Any], request: SearchRequest, found: Found, *, without: str = "") -> Select[Any]:
    if found is not None:
        statement = statement.join(found, found.c.package_id == PackageRow.id)
    conditions: list[ColumnElement[bool]] = [PackageRow.is_listed.is_(True)]
    chosen = {"kind": request.kinds, "grade": request.grades, "licence": request.licences}
    for facet, values in chosen.items():
        if values and facet != without:
            conditions.append(_facet_column(facet).in_(values))
    if request.owner is not None and without != "owner":
        conditions.append(PackageRow.owner == request.owner)
    if request.tags and without != "tag":
        tagged = select(PackageTagRow.package_id).where(PackageTagRow.tag.in_(request.tags))
        conditions.append(PackageRow.id.in_(tagged))
    return statement.where(*conditions)
