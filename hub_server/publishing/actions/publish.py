"""The steps of a publish that use the database, in the order in which ``publishing.routes`` calls them.

The same bytes again are no error; other bytes for a version that exists are.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from packaging.version import Version

from hub_server.accounts import actions as accounts
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import WithheldError
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.states import waiting_for_replay
from hub_server.catalog.rules.versions import version_key
from hub_server.database.base import new_id
from hub_server.database.visibility import Viewer, see_as
from hub_server.errors import InvalidPackageError
from hub_server.journal import actions as journal
from hub_server.kernel.caller import Caller, require_caller, require_publisher
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing import queries
from hub_server.publishing.actions.authors import check_author
from hub_server.publishing.errors import (
    ArchivedError,
    KindChangedError,
    TooManyReleasesError,
    TooManyUploadsError,
    VersionExistsError,
    VisibilityError,
)
from schemas.account import Scope
from schemas.events import EventKind
from schemas.journal.author_signature import AuthorSignature
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.names import Reference, split_package_id
from schemas.package import PublishReceipt, ReleaseState, Visibility
from schemas.problem import ProblemPart
from schemas.wheels.shown_lines import problems_of_lines

_DAY = timedelta(hours=24)  # the span that limits a day count: the last 24 hours, not a date


def admit_upload(work: UnitOfWork) -> Caller:
    """Step 1, before a byte is taken: refuse whoever may publish nothing now, and count the attempt.

    Raises ``NotAllowedError`` (scope), ``TooManyReleasesError``, ``TooManyUploadsError``.
    """
    caller = require_caller(work.caller, Scope.PUBLISH)
    limits = work.services.settings.limits
    releases = queries.count_releases_by(work.session, caller.name, work.now - _DAY)
    if releases >= limits.releases_per_day:
        raise TooManyReleasesError(
            f"{limits.releases_per_day} releases in 24 hours is the limit of this hub.", retry_after_seconds=3600
        )
    refuse_too_many_uploads(work, caller)
    queries.count_upload(work.session, caller.account_id, work.today, attempts=1, size_bytes=0)
    return caller


def refuse_too_many_uploads(work: UnitOfWork, caller: Caller) -> None:
    """Raises ``TooManyUploadsError`` when the account has uploaded a day's worth."""
    limits = work.services.settings.limits
    attempts, size_bytes = queries.uploads_of(work.session, caller.account_id, work.today)
    if attempts >= limits.uploads_per_day or size_bytes >= limits.upload_bytes_per_day:
        raise TooManyUploadsError(
            f"{limits.uploads_per_day} uploads or {limits.upload_bytes_per_day / 2**20:.0f} MiB a day are the limit "
            "of this hub, refused ones included: continue tomorrow (UTC).",
            retry_after_seconds=3600,
        )


def count_bytes(services: Services, caller: Caller, size_bytes: int) -> None:
    """Step 2, when the body has come in or was cut off: count its bytes, whatever becomes of them."""
    with services.database.writing() as session:
        today = UnitOfWork(session, services).today
        queries.count_upload(session, caller.account_id, today, attempts=0, size_bytes=size_bytes)


def check_release(
    work: UnitOfWork,
    inspection: Inspection,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
) -> PublishReceipt:
    """Step 4: refuse what publishing would refuse; else what it would answer. Writes nothing.

    Raises ``NotAllowedError`` (not the owner; said before anything else about the package), ``VersionExistsError``,
    ``KindChangedError``, ``InvalidPackageError`` (it refers to what this hub does not have, or asks for too much),
    ``NameBlockedError``, ``QuarantinedError`` and ``WithheldError`` (what moderators have stopped),
    ``AuthorSignatureError`` (it is signed by no key of the caller's).
    """
    caller = _require_publisher(work, inspection)
    package = package_queries.find_package(work.session, inspection.manifest.id)
    _check_visibility(work, package, inspection, visibility)
    if author is not None:
        check_author(work, caller, inspection, author)
    existing = _same_release_or_refusal(work, inspection, package)
    guards = package.fixed_case_count if package is not None else 0
    return _receipt(existing or _release_row(work, inspection, caller, guards), created=False)


def holds_bytes(work: UnitOfWork, digest: str) -> bool:
    """Whether the bytes are in the store. Then they stay there until this transaction ends.

    Bytes that lay there already, because an earlier publish broke off, may be collected between steps 5 and 6.
    """
    queries.hold_blobs(work.session)
    return work.services.blobs.exists(digest)


def make_release(
    work: UnitOfWork,
    inspection: Inspection,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
) -> PublishReceipt:
    """Step 6, one transaction: package (locked), release, files, journal, audit job, and what the catalogue shows.

    Checks again, because another publish may have come first. The same bytes again are no error: the receipt then says
    ``created=False``.
    """
    accounts.refuse_deleted(work)  # whoever deletes an account waits for publishes, and this one may have come behind
    caller = _require_publisher(work, inspection)
    package = _locked_package(work, inspection, caller, is_private=visibility is Visibility.PRIVATE)
    require_publisher(caller, package.id, package.owner)  # it may have been given away a moment ago
    _check_visibility(work, package, inspection, visibility)
    if author is not None:
        check_author(work, caller, inspection, author)
    existing = _same_release_or_refusal(work, inspection, package)
    if existing is not None:
        return _receipt(existing, created=False)
    release = _release_row(work, inspection, caller, package.fixed_case_count)
    if author is not None:
        release.author_key, release.author_signature = author.public_key, author.signature
    package_queries.add_release(work.session, release, inspection.files, inspection.needed_packages())
    package.updated_at = release.published_at
    journal.record_publish(work, package.id, release.version, release.digest, release.published_at)
    work.announce(EventKind.RELEASE_PUBLISHED, package.id, release.version, digest=release.digest)
    job_id = None
    if release.audit_state == "queued":
        job_id = work.queue(JobName.AUDIT_RELEASE, {"release_id": release.id}, unique_key=f"audit:{release.id}")
    catalog.refresh_package(work, package.id)
    if inspection.manifest.kind is PackageKind.SUITE:
        work.queue(JobName.MEASURE_WITH_SUITE, {"suite": package.id}, unique_key=f"suite:{package.id}")
    return _receipt(release, created=True, audit_job=job_id)


def _require_publisher(work: UnitOfWork, inspection: Inspection) -> Caller:
    package_id = inspection.manifest.id
    owner = catalog.owner_of(work, package_id)
    caller = require_publisher(work.caller, package_id, owner)
    see_as(work.session, Viewer(caller.owners))  # a token of one package too: it may need other private ones
    for name in sorted({owner, split_package_id(package_id)[0]}):
        accounts.check_not_blocked(work, name, package_id)
    return caller


def _check_visibility(
    work: UnitOfWork, package: PackageRow | None, inspection: Inspection, wanted: Visibility | None
) -> None:
    """Refuse another visibility than the package has, and a package that needs one which fewer people see."""
    is_private = wanted is Visibility.PRIVATE
    if package is not None:
        if wanted is not None and is_private != package.is_private:
            raise VisibilityError(_why_not(package, wanted))
        is_private = package.is_private
    owner = package.owner if package is not None else split_package_id(inspection.manifest.id)[0]
    check_references_seen(work, inspection.manifest, owner, is_private=is_private)


def _why_not(package: PackageRow, wanted: Visibility) -> str:
    if wanted is Visibility.PRIVATE:
        return f"{package.id} is public, and others may hold copies: publish it under another name to keep it private."
    return (
        f"{package.id} is private: publish without naming a visibility, or make it public "
        f"(`verihub visibility {package.id} public`)."
    )


def _locked_package(work: UnitOfWork, inspection: Inspection, caller: Caller, *, is_private: bool) -> PackageRow:
    """The package's row, made if absent, and locked: of two publishes at once, the second waits here."""
    manifest = inspection.manifest
    owner, _ = split_package_id(manifest.id)
    if package_queries.find_package(work.session, manifest.id) is None:
        fresh = PackageRow(
            id=manifest.id,
            owner=owner,
            kind=manifest.kind.value,
            created_at=work.now,
            created_by=caller.name,
            updated_at=work.now,
            is_private=is_private,
        )
        package_queries.add_package_if_absent(work.session, fresh)
    package = package_queries.lock_package(work.session, manifest.id)
    assert package is not None
    return package


def _same_release_or_refusal(work: UnitOfWork, inspection: Inspection, package: PackageRow | None) -> ReleaseRow | None:
    """The release that these bytes already are, or None when they may become one. This is what makes publishing
    idempotent: a version that exists is answered by the digest alone.
    """
    existing = _existing_release(work, inspection, package) if package is not None else None
    if existing is not None:
        return existing
    if package is not None and package.archived_reason is not None:
        raise ArchivedError(
            f"{package.id} is archived, so nothing more is published of it: {package.archived_reason}"
            f" (`verihub owner unarchive {package.id}` opens it again)."
        )
    _check_lines(inspection)
    _check_needs(work, inspection)
    _check_references(work, inspection)
    return None


def _existing_release(work: UnitOfWork, inspection: Inspection, package: PackageRow) -> ReleaseRow | None:
    """The package's release of this version, if it has these bytes; refused where it has others, or was taken down."""
    catalog.refuse_barred(package)
    kind = inspection.manifest.kind.value
    if package.kind != kind:
        raise KindChangedError(
            f"{package.id} is published as {package.kind} and cannot become {kind}: publish under another name."
        )
    existing = package_queries.find_release_by_key(work.session, package.id, version_key(inspection.version))
    if existing is None:
        return None
    if existing.digest != inspection.digest:
        raise VersionExistsError(
            f"{package.id} {existing.version} exists, and releases never change: publish a higher version "
            "(`version` in pyproject.toml)."
        )
    if existing.taken_down_reason is not None:
        raise WithheldError(
            f"{package.id} {existing.version} was taken down, and no version is used twice: "
            f"{existing.taken_down_reason}"
        )
    return existing


def _check_lines(inspection: Inspection) -> None:
    """Refuse what would mislead whoever reads it in a list."""
    problems = problems_of_lines(
        inspection.manifest,
        summary=inspection.summary,
        readme=inspection.readme,
        authors=inspection.authors,
        links=inspection.links,
    )
    if problems:
        raise InvalidPackageError("\n".join(f"{p.pointer}: {p.message}" for p in problems), errors=problems)


def _check_needs(work: UnitOfWork, inspection: Inspection) -> None:
    """Refuse a package that asks for more than the operator allows."""
    refusal = work.services.settings.execution.why_not_run(inspection.manifest.sandbox)
    if refusal:
        raise InvalidPackageError(refusal, errors=[ProblemPart(pointer="verihub.toml", message=refusal)])


def _check_references(work: UnitOfWork, inspection: Inspection) -> None:
    """Refuse a manifest that names packages which this hub does not have, or releases whose bytes are gone."""
    found = {
        reference: catalog.find_release(work, reference.package, reference.selector)
        for _, reference in inspection.manifest.references
    }
    _refuse_references(
        inspection.manifest,
        lambda reference: found[reference] is None,
        "which this hub does not have: publish it first",
    )
    _refuse_references(
        inspection.manifest,
        lambda reference: (release := found[reference]) is not None and release.taken_down_reason is not None,
        "which was deleted or taken down: name another release",
    )


def check_references_seen(work: UnitOfWork, manifest: Manifest, owner: str, *, is_private: bool) -> None:
    """Refuse a package that needs a private one which fewer people see: they could not use it, and learn the name.

    So a private package needs no other owner's private ones. Who belongs to both owners may leave one of them.
    ``owner``: who has it.
    """

    def is_hidden(reference: Reference) -> bool:
        package = package_queries.find_package(work.session, reference.package)
        return package is not None and package.is_private and not (is_private and package.owner == owner)

    way_out = f"this needs {owner}'s own or public ones" if is_private else "or publish this with --private"
    _refuse_references(manifest, is_hidden, f"which is private: make that public first, {way_out}")


def _refuse_references(manifest: Manifest, is_refused: Callable[[Reference], bool], why: str) -> None:
    problems = [
        ProblemPart(pointer="verihub.toml", message=f"{key} refers to {reference}, {why}")
        for key, reference in manifest.references
        if is_refused(reference)
    ]
    if problems:
        raise InvalidPackageError("; ".join(part.message for part in problems), errors=problems)


def _release_row(work: UnitOfWork, inspection: Inspection, caller: Caller, fixed_case_count: int) -> ReleaseRow:
    row = release_row(inspection, work.now, caller.name)
    if inspection.manifest.verifier is not None:
        row.audit_state, row.blocked = "queued", waiting_for_replay(fixed_case_count)
    return row


def release_row(inspection: Inspection, published_at: datetime, published_by: str) -> ReleaseRow:
    """The row of a release that nobody has measured, from what its bytes say."""
    return ReleaseRow(
        id=new_id(published_at),
        package_id=inspection.manifest.id,
        version=inspection.version,
        version_key=version_key(inspection.version),
        is_prerelease=Version(inspection.version).is_prerelease,
        digest=inspection.digest,
        size_bytes=inspection.size_bytes,
        state=ReleaseState.ACTIVE.value,
        state_reason="",
        published_at=published_at,
        published_by=published_by,
        requires_python=inspection.requires_python,
        dependencies=inspection.dependencies,
        licence=inspection.licence,
        summary=inspection.summary,
        manifest=inspection.manifest.model_dump(mode="json", by_alias=True),
        readme=inspection.readme,
        authors=inspection.authors,
        links=[link.model_dump(mode="json") for link in inspection.links],
        notes=inspection.notes,
        task_counts=inspection.task_counts,
        case_count=inspection.case_count,
        blocked="",
        audit_state="none",
        audit_summary=None,
    )


def _receipt(release: ReleaseRow, *, created: bool, audit_job: str | None = None) -> PublishReceipt:
    return PublishReceipt(
        release=catalog.release_of(release),
        created=created,
        url=f"/packages/{release.package_id}/releases/{release.version}",
        audit_job=audit_job,
    )


def forget_old_uploads(work: UnitOfWork) -> None:
    """Delete upload counts that no limit needs any more. Called by the worker."""
    queries.forget_uploads_before(work.session, work.today)
