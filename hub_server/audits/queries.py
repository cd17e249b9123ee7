"""Every SQL statement about audits and counter-examples."""

import contextlib

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, load_only

from hub_server.audits.models import AuditRow, CounterExampleRow, SigningKeyRow


def find_audit(session: Session, audit_id: str) -> AuditRow | None:
    """The audit, or None."""
    return session.get(AuditRow, audit_id)


def find_newest_done(session: Session, release_id: str) -> AuditRow | None:
    """The release's newest finished audit, or None."""
    statement = select(AuditRow).where(AuditRow.release_id == release_id, AuditRow.state == "done")
    return session.scalar(statement.order_by(AuditRow.id.desc()).limit(1))


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


def find_case(session: Session, package_id: str, case_id: str) -> CounterExampleRow | None:
    """The package's counter-example, or None."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.id == case_id, CounterExampleRow.package_id == package_id
    )
    return session.scalar(statement)


def find_case_by_key(session: Session, package_id: str, key: str) -> CounterExampleRow | None:
    """The package's counter-example with that task and response, or None."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id, CounterExampleRow.case_key == key
    )
    return session.scalar(statement)


def page_of_cases(
    session: Session, package_id: str, state: str | None, before: str | None, limit: int
) -> list[CounterExampleRow]:
    """Counter-examples, newest first."""
    statement = select(CounterExampleRow).where(CounterExampleRow.package_id == package_id)
    if state is not None:
        statement = statement.where(CounterExampleRow.state == state)
    if before is not None:
        statement = statement.where(CounterExampleRow.id < before)
    return list(session.scalars(statement.order_by(CounterExampleRow.id.desc()).limit(limit)))


def cases_to_replay(session: Session, package_id: str) -> list[CounterExampleRow]:
    """Everything that a release's audit replays: all but what was refuted, in order of submission."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id, CounterExampleRow.state != "refuted"
    )
    return list(session.scalars(statement.order_by(CounterExampleRow.id)))


def count_cases(session: Session, package_id: str) -> dict[str, int]:
    """Counter-examples by state."""
    statement = select(CounterExampleRow.state, func.count()).where(CounterExampleRow.package_id == package_id)
    return dict(session.execute(statement.group_by(CounterExampleRow.state)).all())


def open_cases(session: Session, package_id: str) -> list[CounterExampleRow]:
    """Ids of counter-examples that were not judged yet."""
    statement = select(CounterExampleRow).where(
        CounterExampleRow.package_id == package_id, CounterExampleRow.state == "open"
    )
    return list(session.scalars(statement.options(load_only(CounterExampleRow.id))))


def find_signing_key(session: Session, key_id: str) -> SigningKeyRow | None:
    """The public key of that id, or None."""
    return session.get(SigningKeyRow, key_id)


def add_signing_key(session: Session, row: SigningKeyRow) -> None:
    """Remember a public key. Of two workers that sign for the first time at once, one writes it."""
    with contextlib.suppress(IntegrityError), session.begin_nested():
        session.add(row)


def signing_keys(session: Session) -> list[SigningKeyRow]:
    """Every public key that was ever used, newest first."""
    return list(session.scalars(select(SigningKeyRow).order_by(SigningKeyRow.first_used_at.desc())))
