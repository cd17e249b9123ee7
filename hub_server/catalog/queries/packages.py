"""Statements about packages, their facets, their releases and files."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cache

from sqlalchemy import ColumnElement, Select, String, and_, bindparam, column, delete, func, or_, select, values
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased, defer

from hub_server.catalog.models import (
    SEEN_SINCE,
    FormerOwnerRow,
    PackageFacetRow,
    PackageRow,
    ReleaseFileRow,
    ReleaseNeedRow,
    ReleaseRow,
)
from hub_server.database.asked_once import ask_once
from hub_server.database.many_values import one_of
from hub_server.database.visibility import EVERYTHING, MAY_WRITE, seeing
from schemas.package import ReleaseFile

_MOST_IN_ONE_STATEMENT = 500  # older SQLite takes 999 values
_WITHOUT_TEXTS = (defer(ReleaseRow.readme), defer(ReleaseRow.notes))


def find_package(session: Session, package_id: str) -> PackageRow | None:
    """The package, or None."""
    return ask_once(session, (find_package, package_id), lambda: _find_package(session, package_id))


def _find_package(session: Session, package_id: str) -> PackageRow | None:
    if session.info.get(MAY_WRITE):
        return session.get(PackageRow, package_id)
    return session.scalar(_package(), {"package": package_id})


@cache  # every page of a package asks for it; `Session.get` makes its statement anew each time
def _package() -> Select[PackageRow]:
    return select(PackageRow).where(PackageRow.id == bindparam("package"))


def owners_ever(session: Session, package_ids: Collection[str]) -> dict[str, set[str]]:
    """Package -> everybody who has it or had it, whether or not the viewer sees it."""
    found: dict[str, set[str]] = defaultdict(set)
    with seeing(session, EVERYTHING):
        every = sorted(package_ids)
        for start in range(0, len(every), _MOST_IN_ONE_STATEMENT):
            part = every[start : start + _MOST_IN_ONE_STATEMENT]
            now = select(PackageRow.id, PackageRow.owner).where(PackageRow.id.in_(part))
            before = select(FormerOwnerRow.package_id, FormerOwnerRow.owner)
            for statement in (now, before.where(FormerOwnerRow.package_id.in_(part))):
                for package_id, owner in session.execute(statement):
                    found[package_id].add(owner)
    return found


def owners_and_publishers(
    session: Session, package_ids: Collection[str]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """As :func:`owners_ever`, and package -> everybody who published a release of it, whatever became of that."""
    publishers: dict[str, set[str]] = defaultdict(set)
    with seeing(session, EVERYTHING):
        every = sorted(package_ids)
        for start in range(0, len(every), _MOST_IN_ONE_STATEMENT):
            part = every[start : start + _MOST_IN_ONE_STATEMENT]
            statement = select(ReleaseRow.package_id, ReleaseRow.published_by).where(ReleaseRow.package_id.in_(part))
            for package_id, account in session.execute(statement.distinct()):
                publishers[package_id].add(account)
    return owners_ever(session, package_ids), publishers


def packages_meant(session: Session, owner: str, name: str) -> list[str]:
    """Packages of that name which ``owner`` has or had, named after somebody else: at most two, in order."""
    had = select(FormerOwnerRow.package_id).where(FormerOwnerRow.owner == owner)
    statement = select(PackageRow.id).where(
        or_(PackageRow.owner == owner, PackageRow.id.in_(had)), PackageRow.id.endswith(f"/{name}", autoescape=True)
    )
    return list(session.scalars(statement.order_by(PackageRow.id).limit(2)))


def add_former_owner(session: Session, package_id: str, owner: str, until: datetime) -> None:
    """Remember that ``owner`` had a package until now."""
    session.merge(FormerOwnerRow(package_id=package_id, owner=owner, until=until))


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
    except IntegrityError:  # the package's id is the primary key: the other transaction has inserted it
        return False
    return True


def add_release(session: Session, release: ReleaseRow, files: list[ReleaseFile], needs: Collection[str] = ()) -> None:
    """Insert a release with its files. ``needs``: ids of packages that it may refer to; those that exist are kept."""
    session.add(release)
    session.flush()
    with seeing(session, EVERYTHING):
        known = list(session.scalars(select(PackageRow.id).where(PackageRow.id.in_(sorted(needs)))))
    session.add_all(ReleaseNeedRow(release_id=release.id, package_id=package_id) for package_id in known)
    session.add_all(
        ReleaseFileRow(release_id=release.id, path=file.path, size=file.size, sha256=file.sha256) for file in files
    )


def list_package_ids(session: Session) -> list[str]:
    """Ids of all listed packages that everybody sees, in order."""
    wanted = select(PackageRow.id).where(PackageRow.is_listed, PackageRow.is_private.is_(False))
    return list(session.scalars(wanted.order_by(PackageRow.id)))


def releases_of(session: Session, package_id: str) -> list[ReleaseRow]:
    """Every release, highest version first. A README is read when it is asked for: each may have a megabyte."""
    statement = select(ReleaseRow).options(*_WITHOUT_TEXTS).where(ReleaseRow.package_id == package_id)
    return list(session.scalars(statement.order_by(ReleaseRow.version_key.desc())))


def page_of_releases(session: Session, package_id: str, before_key: str | None, limit: int) -> list[ReleaseRow]:
    """Releases below ``before_key``, highest version first."""
    statement = select(ReleaseRow).options(*_WITHOUT_TEXTS).where(ReleaseRow.package_id == package_id)
    if before_key is not None:
        statement = statement.where(ReleaseRow.version_key < before_key)
    return list(session.scalars(statement.order_by(ReleaseRow.version_key.desc()).limit(limit)))


def find_release_by_key(session: Session, package_id: str, key: str) -> ReleaseRow | None:
    """The release with that version key, or None."""
    wanted = {"package": package_id, "key": key}
    return ask_once(session, (find_release_by_key, package_id, key), lambda: session.scalar(_release(), wanted))


@cache
def _release() -> Select[ReleaseRow]:
    of_package = ReleaseRow.package_id == bindparam("package")
    return select(ReleaseRow).where(of_package, ReleaseRow.version_key == bindparam("key"))


def find_release_by_digest(session: Session, package_id: str, digest: str) -> ReleaseRow | None:
    """The release with those bytes, or None."""
    return session.scalar(select(ReleaseRow).where(ReleaseRow.package_id == package_id, ReleaseRow.digest == digest))


def find_shown_release(session: Session, package_id: str) -> ReleaseRow | None:
    """The release that the catalogue shows of a package; None where there is no such package, or it shows none."""
    package = find_package(session, package_id)
    shown = package.shown_release_id if package is not None else None
    return find_release_by_id(session, shown) if shown is not None else None


def find_release_by_id(session: Session, release_id: str) -> ReleaseRow | None:
    """The release, or None."""
    return session.get(ReleaseRow, release_id)


def releases_by_ids(session: Session, release_ids: list[str]) -> dict[str, ReleaseRow]:
    """Releases by id, in one statement."""
    rows = session.scalars(select(ReleaseRow).options(*_WITHOUT_TEXTS).where(ReleaseRow.id.in_(release_ids)))
    return {row.id: row for row in rows}


def releases_by_pins(session: Session, pins: Collection[tuple[str, str]]) -> list[ReleaseRow]:
    """Releases by (package, version key), in one statement; those that there are."""
    if not pins:
        return []
    # A join: for `in` of pairs SQLite reads the whole table, and two lists are every package with every version.
    wanted = values(column("package_id", String), column("version_key", String)).data(list(set(pins))).cte("pins")
    statement = select(ReleaseRow).join(
        wanted,
        and_(ReleaseRow.package_id == wanted.c.package_id, ReleaseRow.version_key == wanted.c.version_key),
    )
    return list(session.scalars(statement.options(*_WITHOUT_TEXTS)))


def newest_publisher(session: Session, package_id: str) -> str | None:
    """Who published the newest release of a package, whatever became of it; None where there is no release."""
    statement = select(ReleaseRow.published_by).where(ReleaseRow.package_id == package_id)
    return session.scalar(statement.order_by(ReleaseRow.published_at.desc()).limit(1))


def has_release_after(session: Session, package_id: str, at: datetime) -> bool:
    """Whether a release of a package came out later, whatever became of it."""
    return session.scalar(_release_after(), {"package": package_id, "at": at}) is not None


@cache
def _release_after() -> Select[str]:
    later = ReleaseRow.published_at > bindparam("at")
    return select(ReleaseRow.id).where(ReleaseRow.package_id == bindparam("package"), later).limit(1)


def suites_published_by(session: Session, accounts: Collection[str]) -> list[str]:
    """Ids of the listed suites whose shown release one of the accounts published."""
    statement = select(PackageRow.id).join(ReleaseRow, PackageRow.shown_release_id == ReleaseRow.id)
    statement = statement.where(PackageRow.kind == "suite", ReleaseRow.published_by.in_(sorted(accounts)))
    return list(session.scalars(statement.order_by(PackageRow.id)))


def first_published(session: Session, package_id: str) -> datetime:
    """When the first release of a package came out."""
    statement = select(func.min(ReleaseRow.published_at)).where(ReleaseRow.package_id == package_id)
    return session.execute(statement).scalar_one()


def files_of(session: Session, release_id: str) -> list[ReleaseFile]:
    """Every file of a release, by path."""
    found = session.execute(_files(), {"release": release_id})
    return [ReleaseFile(path=path, size=size, sha256=sha256) for path, size, sha256 in found]


@cache
def _files() -> "Select[str, int, str]":
    statement = select(ReleaseFileRow.path, ReleaseFileRow.size, ReleaseFileRow.sha256)
    return statement.where(ReleaseFileRow.release_id == bindparam("release")).order_by(ReleaseFileRow.path)


def packages_of(session: Session, owner: str) -> list[PackageRow]:
    """Every package of an owner, listed or not."""
    return list(session.scalars(select(PackageRow).where(PackageRow.owner == owner).order_by(PackageRow.id)))


def remove_files(session: Session, release_id: str) -> None:
    """Forget which files a release held."""
    session.execute(delete(ReleaseFileRow).where(ReleaseFileRow.release_id == release_id))


def newest_releases(session: Session, package_id: str | None, owner: str | None, limit: int) -> list[ReleaseRow]:
    """What readers have seen for the shortest time, newest first, for feeds; quarantined releases stay out."""
    wanted = select(ReleaseRow.id).where(ReleaseRow.state != "quarantined")
    if package_id is not None:
        wanted = wanted.where(ReleaseRow.package_id == package_id)
    if owner is not None:
        wanted = wanted.where(ReleaseRow.package_id.in_(_freshest_packages(owner, limit)))
    newest = wanted.order_by(SEEN_SINCE.desc(), ReleaseRow.id.desc()).limit(limit)
    # Ids first: sorted as whole rows, thousands of manifests would be read for the forty that are shown.
    rows = releases_by_ids(session, list(session.scalars(newest)))
    return sorted(rows.values(), key=lambda row: (row.public_since or row.published_at, row.id), reverse=True)


def _freshest_packages(owner: str, limit: int) -> Select[str]:
    """An owner's packages with the newest releases: as many as hold the newest of all its releases."""
    one = aliased(ReleaseRow)
    since = func.coalesce(one.public_since, one.published_at)
    newest = select(since).where(one.package_id == PackageRow.id, one.state != "quarantined")
    newest = newest.order_by(since.desc()).limit(1)
    order = newest.scalar_subquery().desc().nulls_last()
    return select(PackageRow.id).where(PackageRow.owner == owner).order_by(order, PackageRow.id).limit(limit)


def packages_by_ids(session: Session, ids: list[str]) -> dict[str, PackageRow]:
    """Packages by id, listed or not, in one statement."""
    wanted, parameters = one_of(session, PackageRow.id, ids)
    return {row.id: row for row in session.scalars(select(PackageRow).where(wanted), parameters)}


def barred_releases(session: Session, package_ids: Collection[str]) -> set[tuple[str, str]]:
    """(package, version) of the packages' releases that are in quarantine or taken down, in one statement."""
    if not package_ids:
        return set()
    wanted, parameters = one_of(session, ReleaseRow.package_id, package_ids)
    is_barred = or_(ReleaseRow.quarantined_reason.is_not(None), ReleaseRow.taken_down_reason.is_not(None))
    statement = select(ReleaseRow.package_id, ReleaseRow.version).where(wanted, is_barred)
    return {(row[0], row[1]) for row in session.execute(statement, parameters)}


def readmes_of(session: Session, release_ids: list[str]) -> dict[str, str]:
    """README by release, in one statement."""
    rows = session.execute(select(ReleaseRow.id, ReleaseRow.readme).where(ReleaseRow.id.in_(release_ids)))
    return {row[0]: row[1] for row in rows}


def notes_of(session: Session, package_id: str, versions: Collection[str]) -> dict[str, str]:
    """Version -> what the changelog says of it, of a package's releases, in one statement; those that say something."""
    wanted = (ReleaseRow.package_id == package_id, ReleaseRow.version.in_(versions), ReleaseRow.notes != "")
    return {row[0]: row[1] for row in session.execute(select(ReleaseRow.version, ReleaseRow.notes).where(*wanted))}


def facets_of(session: Session, package_ids: list[str]) -> dict[str, dict[str, list[str]]]:
    """What was stored by :func:`replace_facets`, by package and facet, in one statement; values in order."""
    found: dict[str, dict[str, list[str]]] = {package_id: defaultdict(list) for package_id in package_ids}
    statement = select(PackageFacetRow.package_id, PackageFacetRow.facet, PackageFacetRow.value)
    wanted = statement.where(PackageFacetRow.package_id.in_(package_ids))
    for package_id, facet, value in session.execute(wanted.order_by(PackageFacetRow.value)):
        found[package_id][facet].append(value)
    return found


def facets_of_one(session: Session, package_id: str) -> dict[str, list[str]]:
    """As :func:`facets_of`, of one package, which the parts of a page ask for again."""
    return ask_once(session, (facets_of_one, package_id), lambda: _facets_of_one(session, package_id))


def _facets_of_one(session: Session, package_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for facet, value in session.execute(_facets(), {"package": package_id}):
        found[facet].append(value)
    return found


@cache
def _facets() -> "Select[str, str]":
    statement = select(PackageFacetRow.facet, PackageFacetRow.value)
    return statement.where(PackageFacetRow.package_id == bindparam("package")).order_by(PackageFacetRow.value)


def replace_facets(session: Session, package_id: str, facets: Mapping[str, Iterable[str]]) -> None:
    """Set a package's values of the facets that are named; the others stay."""
    named = PackageFacetRow.facet.in_(sorted(facets))
    session.execute(delete(PackageFacetRow).where(PackageFacetRow.package_id == package_id, named))
    session.add_all(
        PackageFacetRow(package_id=package_id, facet=facet, value=value)
        for facet, values in facets.items()
        for value in sorted(set(values))
    )


def page_of_dependants(
    session: Session, package_id: str, kinds: Collection[str], after: str | None, limit: int
) -> list[PackageRow]:
    """Listed packages of these kinds behind the id ``after``, in order of their ids."""
    # An expression, so that SQLite does not begin with all packages of these kinds.
    statement = select(PackageRow).where(*_needs(package_id), (PackageRow.kind + "").in_(sorted(kinds)))
    if after is not None:
        statement = statement.where(PackageRow.id > after)
    return list(session.scalars(statement.order_by(PackageRow.id).limit(limit)))


def count_dependants(session: Session, package_id: str) -> dict[str, int]:
    """Kind -> how many listed packages of it need the package, in one statement."""
    statement = select(PackageRow.kind, func.count()).where(*_needs(package_id))
    return {row[0]: row[1] for row in session.execute(statement.group_by(PackageRow.kind))}


def _needs(package_id: str) -> list[ColumnElement[bool]]:
    """That a package's shown release refers to the package, and that it is listed and not hidden.

    It begins with the releases that refer to the package. A join of packages with what they need read all packages of
    the hub: 50 ms of CPU for 16,500 of them, where nothing depends on the package.
    """
    # By tables and not by classes: what the viewer may not see is left out of the packages, and need not be twice more.
    needs, releases = ReleaseNeedRow.__table__.c, ReleaseRow.__table__.c
    needing = select(needs.release_id).where(needs.package_id == package_id)
    having = select(releases.package_id).where(releases.id.in_(needing))
    return [
        PackageRow.id.in_(having),
        PackageRow.shown_release_id.in_(needing),
        PackageRow.id != package_id,
        PackageRow.is_listed.is_(True),
        PackageRow.hidden_reason.is_(None),
        PackageRow.taken_down_reason.is_(None),
    ]
