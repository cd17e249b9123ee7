"""Publish a release: bytes first, row second; the same bytes again are no error, other bytes are."""

from datetime import timedelta
from pathlib import Path

from packaging.version import Version

from hub_server.accounts import actions as accounts
from hub_server.caller import Caller, require_caller, require_owner
from hub_server.catalog import actions as catalog
from hub_server.catalog import queries as catalog_queries
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.rules import version_key
from hub_server.database.base import new_id
from hub_server.errors import InvalidPackageError
from hub_server.parts import Parts
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing import queries
from hub_server.publishing.errors import KindChangedError, TooManyReleasesError, VersionExistsError
from hub_server.publishing.rules import foreign_references, selector_of, waiting_for_replay, wants_audit
from hub_server.work import Work
from schemas.account import Scope
from schemas.names import split_package_id
from schemas.package import PublishReceipt, ReleaseState
from schemas.problem import ProblemPart

_DAY = timedelta(hours=24)
AUDIT_JOB = "audits.audit_release"


def check_may_publish(work: Work) -> Caller:
    """Refuse early, before a byte is taken, whoever may publish nothing at all."""
    caller = require_caller(work.caller, Scope.PUBLISH)
    limit = work.parts.settings.limits.releases_per_day
    if catalog_queries.count_releases_by(work.session, caller.name, work.now - _DAY) >= limit:
        raise TooManyReleasesError(f"{limit} releases in 24 hours is the limit of this hub.", retry_after_seconds=3600)
    return caller


def store_upload(parts: Parts, path: Path, digest: str) -> Inspection:
    """Store the uploaded bytes and look into what was *stored*. Outside any transaction: it may take seconds.

    A refusal or a crash after this leaves a blob that nothing points to, never a release without bytes.
    """
    parts.blobs.put_file(path, digest)
    return parts.inspector.inspect(digest)


def publish_release(work: Work, inspection: Inspection) -> PublishReceipt:
    """Make the release that the inspected bytes say they are, and queue its audit.

    Raises ``NotAllowedError`` (not the owner; before anything else is said), ``VersionExistsError``,
    ``KindChangedError``,
    ``InvalidPackageError`` (refers to what this hub does not have).
    """
    manifest = inspection.manifest
    caller = require_owner(work.caller, split_package_id(manifest.id)[0], Scope.PUBLISH)
    package = _take_package(work, inspection, caller)
    key = version_key(inspection.version)
    existing = catalog_queries.find_release_by_key(work.session, manifest.id, key)
    if existing is not None:
        return _same_bytes_or_refusal(existing, inspection)
    _check_references(work, inspection)
    release = _release_row(work, inspection, caller, package.fixed_case_count)
    queries.add_release(work.session, release, inspection.files)
    package.updated_at = release.published_at
    job_id = None
    if release.audit_state == "queued":
        job_id = work.queue(AUDIT_JOB, {"release_id": release.id}, unique_key=f"audit:{release.id}")
    catalog.refresh_package(work, package.id)
    return _receipt(release, created=True, audit_job=job_id)


def rehearse_release(work: Work, inspection: Inspection) -> PublishReceipt:
    """Everything that a publish would refuse, and nothing written."""
    manifest = inspection.manifest
    caller = require_owner(work.caller, split_package_id(manifest.id)[0], Scope.PUBLISH)
    package = catalog_queries.find_package(work.session, manifest.id)
    if package is not None:
        _check_kind(package, inspection)
        existing = catalog_queries.find_release_by_key(work.session, manifest.id, version_key(inspection.version))
        if existing is not None:
            return _same_bytes_or_refusal(existing, inspection)
    _check_references(work, inspection)
    guards = package.fixed_case_count if package is not None else 0
    return _receipt(_release_row(work, inspection, caller, guards), created=False)


def _take_package(work: Work, inspection: Inspection, caller: Caller) -> PackageRow:
    """The package's row, made if absent, locked: of two publishes at once, the second waits here."""
    manifest = inspection.manifest
    owner, _ = split_package_id(manifest.id)
    if catalog_queries.find_package(work.session, manifest.id) is None:
        if not accounts.owner_exists(work, owner):  # a token outlives no account, but an organisation may be gone
            raise InvalidPackageError(f"There is no account or organisation {owner!r} on this hub.")
        fresh = PackageRow(
            id=manifest.id,
            owner=owner,
            kind=manifest.kind.value,
            created_at=work.now,
            created_by=caller.name,
            updated_at=work.now,
        )
        queries.add_package_if_absent(work.session, fresh)
    package = catalog_queries.lock_package(work.session, manifest.id)
    assert package is not None
    _check_kind(package, inspection)
    return package


def _check_kind(package: PackageRow, inspection: Inspection) -> None:
    if package.kind != inspection.manifest.kind.value:
        raise KindChangedError(
            f"{package.id} is published as {package.kind} and cannot become {inspection.manifest.kind.value}: "
            "publish under another name."
        )


def _same_bytes_or_refusal(existing: ReleaseRow, inspection: Inspection) -> PublishReceipt:
    if existing.digest != inspection.digest:
        raise VersionExistsError(
            f"{existing.package_id} {existing.version} exists, and releases never change: publish a higher version."
        )
    return _receipt(existing, created=False)


def _check_references(work: Work, inspection: Inspection) -> None:
    parts = [
        ProblemPart(
            pointer="verihub.toml",
            message=f"{key} refers to {reference}, which this hub does not have: publish it first",
        )
        for key, reference in foreign_references(inspection.manifest)
        if catalog.find_release(work, reference.package, selector_of(reference)) is None
    ]
    if parts:
        raise InvalidPackageError("; ".join(part.message for part in parts), errors=parts)


def _release_row(work: Work, inspection: Inspection, caller: Caller, fixed_case_count: int) -> ReleaseRow:
    is_measured = wants_audit(inspection.manifest)
    now = work.now
    return ReleaseRow(
        id=new_id(now),
        package_id=inspection.manifest.id,
        version=inspection.version,
        version_key=version_key(inspection.version),
        is_prerelease=Version(inspection.version).is_prerelease,
        digest=inspection.digest,
        size_bytes=inspection.size_bytes,
        state=ReleaseState.ACTIVE.value,
        state_reason="",
        published_at=now,
        published_by=caller.name,
        requires_python=inspection.requires_python,
        dependencies=inspection.dependencies,
        licence=inspection.licence,
        summary=inspection.summary,
        manifest=inspection.manifest.model_dump(mode="json", by_alias=True),
        readme=inspection.readme,
        task_counts=inspection.task_counts,
        case_count=inspection.case_count,
        blocked=waiting_for_replay(fixed_case_count) if is_measured else "",
        audit_state="queued" if is_measured else "none",
        audit_summary=None,
    )


def _receipt(release: ReleaseRow, *, created: bool, audit_job: str | None = None) -> PublishReceipt:
    return PublishReceipt(
        release=catalog.release_of(release),
        created=created,
        url=f"/packages/{release.package_id}/releases/{release.version}",
        audit_job=audit_job,
    )
