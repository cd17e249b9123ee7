"""Rows as the wire shows them."""

from hub_server.catalog.models import PackageRow, ReleaseRow
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.package import AuditSummary, PackageCard, Release, ReleaseState


def release_of(row: ReleaseRow) -> Release:
    """A release's row as the wire shows it."""
    return Release(
        package=row.package_id,
        version=row.version,
        digest=row.digest,
        size_bytes=row.size_bytes,
        state=ReleaseState(row.state),
        state_reason=row.state_reason,
        published_at=row.published_at,
        published_by=row.published_by,
        requires_python=row.requires_python,
        dependencies=row.dependencies,
        licence=row.licence,
        summary=row.summary,
        manifest=manifest_of(row),
        task_counts=row.task_counts,
        case_count=row.case_count,
        audit=AuditSummary.read(row.audit_summary) if row.audit_summary else None,
        blocked_from_latest=row.blocked,
        replayed_count=row.replayed_count or 0,  # a rehearsal's row was never written, so it has no defaults
        replay_mismatch_count=row.replay_mismatch_count or 0,
    )


def manifest_of(row: ReleaseRow) -> Manifest:
    """A release's manifest; lenient, because an older hub may have written it."""
    return Manifest.read(row.manifest)


def card_of(package: PackageRow, shown: ReleaseRow | None, tags: list[str]) -> PackageCard:
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
        rewards=manifest_of(shown).rewards if shown is not None else {},
        audit=AuditSummary.read(package.audit_summary) if package.audit_summary else None,
        audit_state=shown.audit_state if shown is not None else "none",
    )
