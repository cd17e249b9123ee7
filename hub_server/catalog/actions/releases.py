"""Find packages and releases; resolve a reference to one release; show rows as the wire has them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from hub_server.catalog.actions.nearest import nearest_packages
from hub_server.catalog.errors import (
    PackageMovedError,
    PackageNotFoundError,
    QuarantinedError,
    ReleaseNotFoundError,
    WithheldError,
)
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries import counts as count_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.queries.cards import CardPackage, CardRelease
from hub_server.catalog.rules.versions import version_key
from hub_server.database import visibility
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal.author_signature import AuthorSignature
from schemas.kinds import PackageKind
from schemas.manifest import Manifest, RewardDeclaration
from schemas.names import LATEST, InvalidNameError, Reference, check_package_id, split_package_id
from schemas.package import AuditSummary, PackageCard, PackageDetail, ProjectLink, Release, ReleaseState, Visibility
from schemas.page import Page

MOST_NEAR = 3
"""Names that are offered in place of one that is not there."""
MOST_RELEASES = 100
"""So many releases stand in a package's answer; all of them are in pages of ``list_releases``."""


def list_all_releases(work: UnitOfWork, package_id: str) -> list[Release]:
    """Every release, highest version first, for the index that pip reads."""
    return [release_of(row) for row in package_queries.releases_of(work.session, get_package_row(work, package_id).id)]


def get_package(work: UnitOfWork, package_id: str) -> PackageDetail:
    """A package with its highest releases, at most ``MOST_RELEASES``. Raises ``PackageNotFoundError``."""
    package, releases, shown = _package_and_releases(work, package_id, MOST_RELEASES)
    is_all = len(releases) < MOST_RELEASES
    count = len(releases) if is_all else count_queries.count_releases(work.session, package.id)
    detail = _detail_of(work, package, releases, shown, count)
    return detail.model_copy(update={"readme": shown.readme if shown is not None else ""})


def get_package_head(work: UnitOfWork, package_id: str) -> PackageDetail:
    """A package as the head of its pages wants it: with one release, and no README.

    It is the latest, which the page reads in any case; the highest where none can be the latest.
    """
    package = get_package_row(work, package_id)
    latest = _resolve(work, package, Reference.parse(package.id)) if package.latest_version is not None else None
    releases, shown = [latest] if latest is not None else [], latest
    if latest is None or latest.id != package.shown_release_id:
        package, releases, shown = _package_and_releases(work, package_id, 1)
    return _detail_of(work, package, releases, shown, count_queries.count_releases(work.session, package.id))


def _package_and_releases(
    work: UnitOfWork, package_id: str, most: int
) -> tuple[PackageRow, list[ReleaseRow], ReleaseRow | None]:
    """The package, its highest releases, and the one that it shows."""
    package = get_package_row(work, package_id)
    releases = package_queries.page_of_releases(work.session, package.id, None, most)
    shown = next((row for row in releases if row.id == package.shown_release_id), None)
    if shown is None and package.shown_release_id is not None:
        shown = package_queries.find_release_by_id(work.session, package.shown_release_id)
    return package, releases, shown


def _detail_of(
    work: UnitOfWork, package: PackageRow, releases: list[ReleaseRow], shown: ReleaseRow | None, count: int
) -> PackageDetail:
    return PackageDetail(
        card=card_of(package, shown, package_queries.facets_of_one(work.session, package.id).get("tag", [])),
        owner=package.owner,
        created_at=package.created_at,
        releases=[release_of(row) for row in releases],
        release_count=count,
        quarantined_reason=package.quarantined_reason,
        archived_reason=package.archived_reason,
    )


def get_release(work: UnitOfWork, package_id: str, version: str = LATEST) -> Release:
    """The release that ``version`` means. Quarantined ones are shown too: visible, not usable."""
    row = resolve_release(work, package_id, version)
    return release_of(row).model_copy(update={"notes": row.notes})


def find_release(work: UnitOfWork, package_id: str, version: str) -> Release | None:
    """The release that ``version`` means, or None, also where it is no version: what others report may be anything."""
    try:
        return get_release(work, package_id, version)
    except (PackageNotFoundError, ReleaseNotFoundError, WithheldError, InvalidRequestError):
        return None


def find_judging_audit(work: UnitOfWork, release: Release) -> tuple[str, AuditSummary] | None:
    """(``owner/name@version``, audit) that applies to a release's verdicts, or None.

    It is the release's own audit, else that of the package whose verifier it uses.
    """
    return find_judging_audits(work, [release])[release.package, release.version]


def find_exact_releases(work: UnitOfWork, pins: Collection[tuple[str, str]]) -> dict[tuple[str, str], Release]:
    """(package, version) -> its release, as :func:`find_release` finds it, of those that there are; two statements."""
    keys = {(package, version): (package, version_key(version)) for package, version in pins}
    rows = package_queries.releases_by_pins(work.session, set(keys.values()))
    packages = package_queries.packages_by_ids(work.session, sorted({package for package, _ in pins})) if pins else {}
    shown = {
        name
        for name, row in packages.items()
        if row.taken_down_reason is None and (row.hidden_reason is None or work.sees_hidden)
    }
    found = {(row.package_id, row.version_key): release_of(row) for row in rows if row.package_id in shown}
    return {pin: found[key] for pin, key in keys.items() if key in found}


def find_judging_audits(
    work: UnitOfWork, releases: Collection[Release]
) -> dict[tuple[str, str], tuple[str, AuditSummary] | None]:
    """(package, version) -> what :func:`find_judging_audit` says of the release.

    Verifiers that releases name by an exact version are asked together; by a range or ``latest``, each once.
    """
    foreign = {one.manifest.foreign_verifier for one in releases if one.audit is None} - {None}
    named = {one for one in foreign if one is not None}
    exact = find_exact_releases(work, {(one.package, one.version) for one in named if one.version is not None})
    judges = {
        one: exact.get((one.package, one.version)) if one.version else find_release(work, one.package, one.selector)
        for one in named
    }
    return {(one.package, one.version): _audit_of(one, judges) for one in releases}


def _audit_of(release: Release, judges: Mapping[Reference, Release | None]) -> tuple[str, AuditSummary] | None:
    found = release
    if release.audit is None and release.manifest.foreign_verifier is not None:
        found = judges[release.manifest.foreign_verifier] or release
    return (f"{found.package}@{found.audit.version}", found.audit) if found.audit is not None else None


def list_releases(work: UnitOfWork, package_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[Release]:
    """Releases, highest version first, yanked and quarantined ones included."""
    get_package_row(work, package_id)
    after = decode_cursor(cursor, "releases", str)
    rows = package_queries.page_of_releases(
        work.session, package_id, after[0] if after else None, check_limit(limit) + 1
    )
    items = [release_of(row) for row in rows[:limit]]
    more = encode_cursor("releases", rows[limit - 1].version_key) if len(rows) > limit else None
    return Page[Release](items=items, next=more)


def list_notes(work: UnitOfWork, package_id: str, versions: list[str]) -> dict[str, str]:
    """Version -> what the release's changelog says of it, Markdown, untrusted; of those that say something."""
    return package_queries.notes_of(work.session, package_id, versions)


def usable_release(work: UnitOfWork, package_id: str, version: str = LATEST) -> ReleaseRow:
    """The release that ``version`` means, for download or execution.

    Raises ``QuarantinedError`` where that is forbidden.
    """
    row = resolve_release(work, package_id, version)
    if row.taken_down_reason is not None:
        raise WithheldError(f"{package_id} {row.version} was taken down: {row.taken_down_reason}")
    if row.state == ReleaseState.QUARANTINED and not work.sees_hidden:
        raise QuarantinedError(f"{package_id} {row.version} is quarantined: {row.state_reason or 'under review'}")
    return row


def resolve_release(work: UnitOfWork, package_id: str, version: str = LATEST) -> ReleaseRow:
    """The row that ``version`` means: exact, ``latest``, a range (``>=1,<2``) or a digest.

    Only an exact version or digest reaches yanked and quarantined releases.
    """
    package = get_package_row(work, package_id)
    try:
        reference = Reference.parse(f"{package.id}@{version}")
    except InvalidNameError as error:
        raise InvalidRequestError(str(error)) from None
    row = _resolve(work, package, reference)
    if row is None:
        raise ReleaseNotFoundError(_why_none(work, package, version))
    return row


def _resolve(work: UnitOfWork, package: PackageRow, reference: Reference) -> ReleaseRow | None:
    if reference.digest is not None:
        return package_queries.find_release_by_digest(work.session, package.id, reference.digest)
    if reference.version is not None:
        return package_queries.find_release_by_key(work.session, package.id, version_key(reference.version))
    if reference.specifier is None:
        if package.latest_version is None:
            return None
        return package_queries.find_release_by_key(work.session, package.id, version_key(package.latest_version))
    eligible = {
        row.version: row
        for row in package_queries.releases_of(work.session, package.id)
        if row.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED) and not row.blocked
    }
    chosen = reference.choose(list(eligible))
    return eligible[chosen] if chosen is not None else None


def _why_none(work: UnitOfWork, package: PackageRow, version: str) -> str:
    versions = [row.version for row in package_queries.releases_of(work.session, package.id)][:8]
    if version in ("", LATEST):
        return (
            f"{package.id} has no release that can be its latest (all are pre-releases, yanked, quarantined or "
            f"blocked): name one of {', '.join(versions)}."
        )
    return f"{package.id} has no release {version}: there are {', '.join(versions)}."


def get_package_row(work: UnitOfWork, package_id: str) -> PackageRow:
    """A package's row, for actions on it. Raises ``PackageNotFoundError``, ``PackageMovedError``, ``WithheldError``."""
    try:
        check_package_id(package_id)
    except InvalidNameError as error:
        raise PackageNotFoundError(str(error)) from None
    row = package_queries.find_package(work.session, package_id)
    if row is None:
        meant = package_queries.packages_meant(work.session, *split_package_id(package_id))
        if len(meant) == 1:
            raise PackageMovedError(package_id, meant[0])
        near = partial(nearest_packages, work.services.search, package_id, MOST_NEAR)
        raise PackageNotFoundError(f"There is no package {package_id} on this hub.", near=near)
    if row.taken_down_reason is not None or (row.hidden_reason is not None and not work.sees_hidden):
        raise withheld(row)
    return row


def release_rows(work: UnitOfWork, package_id: str) -> list[ReleaseRow]:
    """The rows of every release, highest version first."""
    return package_queries.releases_of(work.session, package_id)


def owner_of(work: UnitOfWork, package_id: str) -> str:
    """Who has a package, also one that the caller does not see; of a name without a package, whom it is named after."""
    return visibility.owner_of(work.session, package_id)


def owners_of(work: UnitOfWork, package_ids: Sequence[str]) -> dict[str, str]:
    """The same of several packages."""
    return visibility.owners_of(work.session, package_ids)


def refuse_barred(package: PackageRow) -> None:
    """Raise where nothing may be added to a package: ``WithheldError``, ``QuarantinedError``."""
    if package.taken_down_reason is not None or package.hidden_reason is not None:
        raise withheld(package)
    if package.quarantined_reason is not None:
        raise QuarantinedError(f"{package.id} is quarantined as a whole: {package.quarantined_reason}")


def withheld(package: PackageRow) -> WithheldError:
    """The refusal for a package that may not be shown."""
    if package.taken_down_reason is not None:
        return WithheldError(f"{package.id} was taken down: {package.taken_down_reason}")
    return WithheldError(f"{package.id} is hidden while its owner is suspended: {package.hidden_reason}")


def release_of(row: ReleaseRow) -> Release:
    """A release's row as the wire shows it."""
    return Release(
        package=row.package_id,
        version=row.version,
        digest=row.digest,
        size_bytes=row.size_bytes,
        state=ReleaseState(row.state),
        state_reason=row.state_reason,
        yanked_reason=row.yanked_reason,
        yanked_by=row.yanked_by,
        yanked_at=row.yanked_at,
        deprecated_reason=row.deprecated_reason,
        deprecated_by=row.deprecated_by,
        deprecated_at=row.deprecated_at,
        quarantined_reason=row.quarantined_reason,
        taken_down_reason=row.taken_down_reason,
        published_at=row.published_at,
        public_since=row.public_since,
        published_by=row.published_by,
        author_signature=_author_signature(row),
        requires_python=row.requires_python,
        dependencies=row.dependencies,
        licence=row.licence,
        summary=row.summary,
        authors=row.authors or [],
        links=[ProjectLink.read(link) for link in row.links or []],
        manifest=manifest_of(row),
        task_counts=row.task_counts,
        case_count=row.case_count,
        audit=AuditSummary.read(row.audit_summary) if row.audit_summary else None,
        blocked_from_latest=row.blocked,
        replayed_count=row.replayed_count or 0,  # the row of a dry run was never written, so it has no defaults
        replay_mismatch_count=row.replay_mismatch_count or 0,
    )


def _author_signature(row: ReleaseRow) -> AuthorSignature | None:
    if row.author_key is None or row.author_signature is None:
        return None
    return AuthorSignature(public_key=row.author_key, signature=row.author_signature)


def manifest_of(row: ReleaseRow) -> Manifest:
    """A release's manifest; lenient, because an older hub may have written it."""
    return Manifest.read(row.manifest)


def _rewards_of(row: ReleaseRow | CardRelease) -> dict[str, RewardDeclaration]:
    """What a release's manifest declares, without reading the rest of it: a list has a hundred of them."""
    return {name: RewardDeclaration.read(each) for name, each in row.manifest.get("rewards", {}).items()}


def card_of(package: PackageRow | CardPackage, shown: ReleaseRow | CardRelease | None, tags: list[str]) -> PackageCard:
    """A package as a list shows it. ``shown``: the release that the card describes."""
    return PackageCard(
        id=package.id,
        kind=PackageKind(package.kind),
        summary=package.summary,
        tags=tags,
        licence=package.licence,
        latest=package.latest_version,
        latest_digest=shown.digest if shown is not None and package.latest_version is not None else None,
        updated_at=package.updated_at,
        downloads=package.downloads,
        rewards=_rewards_of(shown) if shown is not None else {},
        audit=AuditSummary.read(package.audit_summary) if package.audit_summary else None,
        audit_state=shown.audit_state if shown is not None else "none",
        visibility=Visibility.PRIVATE if package.is_private else Visibility.PUBLIC,
        is_archived=package.archived_reason is not None,
    )
