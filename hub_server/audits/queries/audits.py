"""Every SQL statement about audits and what they measured."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Select, bindparam, delete, func, null, or_, select, update
from sqlalchemy.orm import Session, defer

from hub_server.audits.models import (
    AuditRow,
    ComparisonRow,
    LabelQuestionRow,
    LabelRow,
    NeighbourRow,
    SourceMinhashRow,
    SuiteResultRow,
)
from hub_server.catalog.models import PackageRow, ReleaseRow


def find_audit(session: Session, audit_id: str) -> AuditRow | None:
    """The audit, or None."""
    return session.get(AuditRow, audit_id)


def find_newest_done(session: Session, release_id: str) -> AuditRow | None:
    """The release's newest finished audit, or None."""
    return session.scalar(_newest_done(), {"release": release_id})


@cache
def _newest_done() -> Select[AuditRow]:
    statement = select(AuditRow).where(AuditRow.release_id == bindparam("release"), AuditRow.state == "done")
    return statement.order_by(AuditRow.id.desc()).limit(1)


def first_measured(session: Session, package_id: str) -> dict[str, datetime]:
    """When each measured release of a package was measured first."""
    done = AuditRow.package_id == package_id, AuditRow.state == "done", AuditRow.finished_at.is_not(None)
    statement = select(AuditRow.release_id, func.min(AuditRow.finished_at)).where(*done).group_by(AuditRow.release_id)
    return {release_id: at for release_id, at in session.execute(statement) if at is not None}


def find_live_audit(session: Session, release_id: str) -> AuditRow | None:
    """The release's audit that is queued or running, or None."""
    statement = select(AuditRow).where(AuditRow.release_id == release_id, AuditRow.state.in_(("queued", "running")))
    return session.scalar(statement.order_by(AuditRow.id.desc()).limit(1))


def page_of_audits(
    session: Session, package_id: str, release_id: str | None, before: str | None, limit: int
) -> list[AuditRow]:
    """Audits, newest first."""
    statement = select(AuditRow).where(AuditRow.package_id == package_id)
    if release_id is not None:
        statement = statement.where(AuditRow.release_id == release_id)
    if before is not None:
        statement = statement.where(AuditRow.id < before)
    return list(session.scalars(statement.order_by(AuditRow.id.desc()).limit(limit)))


def shown_releases(session: Session) -> list[ReleaseRow]:
    """The release that each listed package shows, without its README."""
    statement = (
        select(ReleaseRow)
        .options(defer(ReleaseRow.readme))
        .join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    )
    return list(session.scalars(statement.where(PackageRow.is_listed).order_by(ReleaseRow.package_id)))


def measured_before(session: Session, before: datetime, limit: int) -> list[ReleaseRow]:
    """Shown releases whose newest finished audit ended before ``before`` and that wait for none, oldest audit first."""
    newest = (
        select(AuditRow.release_id, func.max(AuditRow.finished_at).label("at"))
        .where(AuditRow.state.in_(("done", "failed")))
        .group_by(AuditRow.release_id)
        .having(func.max(AuditRow.finished_at) < before)
        .subquery()
    )
    statement = select(ReleaseRow).join(PackageRow, PackageRow.shown_release_id == ReleaseRow.id)
    statement = statement.join(newest, newest.c.release_id == ReleaseRow.id)
    is_idle = ReleaseRow.audit_state.not_in(("queued", "running"))
    is_good = ReleaseRow.state.not_in(("quarantined", "yanked"))
    statement = statement.where(PackageRow.is_listed, is_idle, is_good).order_by(newest.c.at, ReleaseRow.id)
    return list(session.scalars(statement.limit(limit)))


def erase_measurements(session: Session, release_id: str, why: str) -> None:
    """Drop the reports, the comparisons on either side and the source's signature of a release."""
    gone = {"state": "failed", "error": why}
    session.execute(update(AuditRow).where(AuditRow.release_id == release_id).values(report=null(), **gone))
    sides = or_(ComparisonRow.left_release_id == release_id, ComparisonRow.right_release_id == release_id)
    session.execute(update(ComparisonRow).where(sides).values(result=null(), **gone))
    session.execute(delete(SourceMinhashRow).where(SourceMinhashRow.release_id == release_id))


def forget_measurements(session: Session, package_id: str, release_ids: Sequence[str]) -> None:
    """Delete what was measured of a package, and what people were asked about its rollouts."""
    questions = select(LabelQuestionRow.id).where(LabelQuestionRow.package_id == package_id)
    either = or_(NeighbourRow.release_id.in_(release_ids), NeighbourRow.other_release_id.in_(release_ids))
    for statement in (
        delete(LabelRow).where(LabelRow.question_id.in_(questions)),
        delete(LabelQuestionRow).where(LabelQuestionRow.package_id == package_id),
        delete(AuditRow).where(AuditRow.package_id == package_id),
        delete(SuiteResultRow).where(SuiteResultRow.release_id.in_(release_ids)),
        delete(NeighbourRow).where(either),
    ):
        session.execute(statement.execution_options(synchronize_session=False))
