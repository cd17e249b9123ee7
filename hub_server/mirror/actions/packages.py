"""Brings one package to what the journal says of it: its wheels, their states, its owner, and its audits."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import EVERYTHING
from hub_server.errors import InvalidPackageError, InvalidRequestError
from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import queries
from hub_server.mirror.actions.origin import OriginHub
from hub_server.mirror.errors import NotThereError, OriginAwayError, PackageProblemError, UntrueError
from hub_server.mirror.rules import (
    ContradictionError,
    SignedPackage,
    SignedRelease,
    facts_of,
    name_of,
    read_entries,
    words_of,
)
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing import actions as publishing
from schemas.events import EventKind
from schemas.evidence.audit import AuditRecord
from schemas.journal.authors import is_author_signature
from schemas.names import split_package_id
from schemas.package import PackageDetail, Release, Visibility

_HIDDEN = "The hub that this one mirrors does not show it any more."


@dataclass(frozen=True)
class ToldPackage:
    """What the other hub tells of a package, unsigned. ``detail`` None: it does not show the package."""

    detail: PackageDetail | None
    releases: dict[str, Release]


class WheelBudget:
    """How many more bytes of wheels are kept. What is there is counted once, when it is first asked for."""

    def __init__(self, services: Services) -> None:
        self._most = services.settings.mirror.wheels_bytes
        self._used: int | None = None

    def take(self, work: UnitOfWork, what: str, size_bytes: int) -> None:
        """Count a wheel that is about to be kept. Raises ``PackageProblemError`` where there is no room for it."""
        used = queries.wheels_bytes(work.session) if self._used is None else self._used
        if used + size_bytes > self._most:
            raise PackageProblemError(
                f"there is no room for {what}: VERIHUB_SERVER_MIRROR__WHEELS_BYTES is {self._most}"
            )
        self._used = used + size_bytes


def bring_up_to_date(
    services: Services, origin: OriginHub, package_id: str, budget: WheelBudget, is_over: Callable[[], bool]
) -> None:
    """Fetch what is missing of a package, then write what the journal says of it. It may be cut off, and repeated.

    Raises ``PackageProblemError`` where something cannot be mirrored now; what can be is written all the same.
    """
    with services.database.reading(sees=EVERYTHING) as session:
        entries = journal.entries_about(UnitOfWork(session, services), package_id)
        rows = package_queries.releases_of(session, package_id)
        have = {row.version for row in rows}
    try:
        signed = read_entries(entries)
    except ContradictionError as error:
        raise UntrueError(str(error)) from None
    if not signed.releases:
        return
    told = _ask_origin(origin, package_id, signed)
    problems: list[str] = []
    for release in sorted(signed.releases.values(), key=lambda one: one.published_at):
        if is_over():
            return
        if told.detail is not None and release.is_shown and release.version not in have:
            try:
                _add_release(services, origin, package_id, release, told, budget)
            except PackageProblemError as error:
                problems.append(str(error))
    with services.database.writing(sees=EVERYTHING) as session:
        _apply(UnitOfWork(session, services), package_id, signed, told)
    problems += _copy_audits(services, origin, package_id, signed, told)
    if told.detail is None and any(one.is_shown for one in signed.releases.values()):
        problems.append(f"{package_id} is in the journal, and {origin.url} does not show it")
    if problems:
        raise PackageProblemError("; ".join(problems[:3]))


def _ask_origin(origin: OriginHub, package_id: str, signed: SignedPackage) -> ToldPackage:
    """What is told of the package and its releases. Told as private, it is as good as not shown."""
    try:
        detail = origin.package(package_id)
        if detail.card.id != package_id or detail.card.visibility is Visibility.PRIVATE:
            return ToldPackage(None, {})
        return ToldPackage(detail, origin.releases(package_id, len(signed.releases)))
    except NotThereError:
        return ToldPackage(None, {})


def _add_release(
    services: Services,
    origin: OriginHub,
    package_id: str,
    signed: SignedRelease,
    told: ToldPackage,
    budget: WheelBudget,
) -> None:
    """Fetch a wheel, look into it as into any upload, and add the release that it is."""
    what = f"{package_id} {signed.version}"
    folder = services.settings.data.absolute() / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".whl") as file:
        path = Path(file.name)
        try:
            origin.fetch_wheel(package_id, signed.version, signed.digest, path)
        except (NotThereError, OriginAwayError) as error:
            raise PackageProblemError(f"the wheel of {what} could not be fetched: {error}") from None
        try:
            inspection = services.inspector.inspect(path, signed.digest)
        except InvalidPackageError as error:
            raise PackageProblemError(f"{what} is no package that this hub can read: {error.detail}") from None
        if (inspection.manifest.id, inspection.version) != (package_id, signed.version):
            raise UntrueError(
                f"the journal of {origin.url} names the wheel of {inspection.manifest.id} {inspection.version} "
                f"as {what}"
            )
        with services.database.reading(sees=EVERYTHING) as session:
            budget.take(UnitOfWork(session, services), what, inspection.size_bytes)  # before any byte is kept
        while True:
            services.blobs.put_file(path, signed.digest)
            with services.database.writing(sees=EVERYTHING) as session:
                work = UnitOfWork(session, services)
                if not publishing.holds_bytes(work, signed.digest):
                    continue  # old bytes were there, and were collected just now
                _insert(work, inspection, signed, told)
                return


def _insert(work: UnitOfWork, inspection: Inspection, signed: SignedRelease, told: ToldPackage) -> None:
    manifest = inspection.manifest
    said = told.releases.get(signed.version)
    first = split_package_id(manifest.id)[0]
    publisher = name_of(said.published_by, first) if said is not None else first
    package = package_queries.find_package(work.session, manifest.id)
    if package is None:
        package = PackageRow(
            id=manifest.id,
            owner=split_package_id(manifest.id)[0],
            kind=manifest.kind.value,
            created_at=signed.published_at,
            created_by=publisher,
            updated_at=signed.published_at,
        )
        package_queries.add_package_if_absent(work.session, package)
    if any(row.version == signed.version for row in package_queries.releases_of(work.session, manifest.id)):
        return  # another process of this mirror was faster
    row = publishing.release_row(inspection, signed.published_at, publisher)
    needs = inspection.needed_packages()
    package_queries.add_release(work.session, row, inspection.files, needs)
    queries.add_later_needs(work.session, row.id, needs)
    _set_facts(work, row, signed, said)
    package.updated_at = max(package.updated_at, signed.published_at)
    work.announce(EventKind.RELEASE_PUBLISHED, manifest.id, row.version, digest=row.digest)
    catalog.refresh_package(work, manifest.id)


def _apply(work: UnitOfWork, package_id: str, signed: SignedPackage, told: ToldPackage) -> None:
    """Write what journal and hub say of the releases that are here."""
    package = package_queries.lock_package(work.session, package_id)
    if package is None:
        return
    for row in package_queries.releases_of(work.session, package_id):
        release = signed.releases.get(row.version)
        if release is None or release.digest != row.digest:
            raise UntrueError(f"{package_id} {row.version} is here and not in the journal")
        _set_facts(work, row, release, told.releases.get(row.version))
    package.hidden_reason = _HIDDEN if told.detail is None else None
    if told.detail is not None:
        package.archived_reason = words_of(told.detail.archived_reason)
        _set_owner(work, package, signed.owner_sha256, told.detail.owner)
    catalog.refresh_package(work, package_id)


def _set_facts(work: UnitOfWork, row: ReleaseRow, signed: SignedRelease, told: Release | None) -> None:
    facts = facts_of(signed, told)
    if facts["taken_down"] is not None and row.taken_down_reason is None:
        audits.erase_measurements(work, row.id)
        catalog.forget_content(work, row)
    for fact, reason in facts.items():
        setattr(row, f"{fact}_reason", reason)
    for fact, by, at in _who_did(told):
        is_so = facts[fact] is not None
        setattr(row, f"{fact}_by", (name_of(by, "") or None) if is_so and by else None)
        setattr(row, f"{fact}_at", at if is_so and at is not None and at.tzinfo is not None else None)
    if told is not None:
        row.blocked = words_of(told.blocked_from_latest) or ""
        author = told.author_signature
        if author is not None and is_author_signature(author, row.package_id, row.version, row.digest):
            row.author_key, row.author_signature = author.public_key, author.signature


def _who_did(told: Release | None) -> list[tuple[str, str | None, datetime | None]]:
    """(fact, who, when) in the other hub's words, which nobody has signed."""
    if told is None:
        return [("yanked", None, None), ("deprecated", None, None)]
    return [
        ("yanked", told.yanked_by, told.yanked_at),
        ("deprecated", told.deprecated_by, told.deprecated_at),
    ]


def _set_owner(work: UnitOfWork, package: PackageRow, owner_sha256: str, told: str) -> None:
    """Who has the package: its first owner, or the one whose name the journal's last transfer holds the digest of."""
    first = split_package_id(package.id)[0]
    owner = first if not owner_sha256 else name_of(told, first)
    if owner_sha256 and sha256(owner.encode()).hexdigest() != owner_sha256:
        return  # the journal has an older transfer yet, or a newer one; the next look has both
    if owner != package.owner:
        package_queries.add_former_owner(work.session, package.id, package.owner, work.now)
        package.owner = owner


def _copy_audits(
    services: Services, origin: OriginHub, package_id: str, signed: SignedPackage, told: ToldPackage
) -> list[str]:
    """Fetch the newest audit of each release whose figures are not those that are here; what went wrong."""
    problems: list[str] = []
    with services.database.reading(sees=EVERYTHING) as session:
        package = package_queries.find_package(session, package_id)
        rows = {row.version: row for row in package_queries.releases_of(session, package_id)}
        here = {version: catalog.release_of(row).audit for version, row in rows.items()}
    for version, release in told.releases.items():
        known = signed.releases.get(version)
        if known is None or not known.is_shown or version not in rows or release.audit is None:
            continue
        # That of the shown release is asked for each time: a moderator may have hidden words in it.
        is_shown = package is not None and package.shown_release_id == rows[version].id
        own = here[version]
        is_known = own is not None and own.audited_at >= release.audit.audited_at
        if release.audit.version != version or (is_known and not is_shown):
            continue
        try:
            found = [
                one for one in origin.audits(package_id, version) if one.state == "done" and one.report is not None
            ]
        except NotThereError:
            found = []
        if not found:
            problems.append(f"the audit of {package_id} {version} is not shown")
            continue
        with services.database.writing(sees=EVERYTHING) as session:
            _keep_audit(UnitOfWork(session, services), rows[version].id, found[0])
    return problems


def _keep_audit(work: UnitOfWork, release_id: str, record: AuditRecord) -> None:
    row = package_queries.find_release_by_id(work.session, release_id)
    assert row is not None, "releases are never deleted"
    try:
        audits.keep_copied_audit(work, row, record)
    except InvalidRequestError as error:
        raise UntrueError(error.detail) from None
