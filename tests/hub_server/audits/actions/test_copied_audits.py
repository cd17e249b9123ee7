"""Reports of another hub are kept as they are, and never replaced by an older one."""

from datetime import timedelta

import pytest

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditRecord
from tests.making.action_driver import ActionDriver, person


@pytest.fixture
def measured(driver: ActionDriver) -> AuditRecord:
    """The audit of a release; for this hub, another hub with the same key has made it."""
    driver.person("alice")
    driver.publish(person("alice"))
    driver.run_jobs()
    return driver.ask(None, actions.get_latest_audit, "alice/small-sums", "1.0.0")


def release(work: UnitOfWork) -> ReleaseRow:
    return catalog.resolve_release(work, "alice/small-sums", "1.0.0")


def later(driver: ActionDriver, record: AuditRecord, days: int, audit_id: str) -> AuditRecord:
    assert record.report is not None
    assert record.report.audited_at is not None
    moved = record.report.model_copy(update={"audited_at": record.report.audited_at + timedelta(days=days)})
    return record.model_copy(update={"id": audit_id, "report": driver.services.signer.sign(moved)})


def test_a_newer_report_replaces_the_figures_and_an_older_one_nothing(
    driver: ActionDriver, measured: AuditRecord
) -> None:
    newer, older = later(driver, measured, 1, "z" * 22), later(driver, measured, -1, "y" * 22)
    with driver.writing() as work:
        actions.keep_copied_audit(work, release(work), newer)
        actions.keep_copied_audit(work, release(work), older)
        actions.keep_copied_audit(work, release(work), newer)
    found = driver.ask(None, actions.get_latest_audit, "alice/small-sums", "1.0.0")
    assert (found.id, found.report) == (newer.id, newer.report)
    assert driver.rows("SELECT count(*) FROM audits") == [(2,)]


def test_an_id_of_another_releases_audit_is_refused(driver: ActionDriver, measured: AuditRecord) -> None:
    driver.publish(person("alice"), version="2.0.0")
    driver.run_jobs()
    other = driver.ask(None, actions.get_latest_audit, "alice/small-sums", "2.0.0")
    with pytest.raises(InvalidRequestError, match="id of another"), driver.writing() as work:
        actions.keep_copied_audit(work, release(work), later(driver, measured, 1, other.id))
