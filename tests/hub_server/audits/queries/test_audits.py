"""Audits in the database: which one is the newest, which release is due again."""

from datetime import timedelta

import pytest

from hub_server.audits.models import AuditRow
from hub_server.audits.queries import audits
from tests.hub_server.audits.judged import SUMS
from tests.making.action_driver import ActionDriver


def audit(driver: ActionDriver, release_id: str, identifier: str, state: str, days: int = 0) -> AuditRow:
    at = driver.clock.now() - timedelta(days=days)
    finished = at if state in ("done", "failed") else None
    return AuditRow(
        id=identifier, package_id=SUMS, release_id=release_id, version="1.0.0", state=state, created_at=at, finished_at=finished
    )  # fmt: skip


@pytest.fixture
def audited(hedging: ActionDriver) -> tuple[ActionDriver, str]:
    """A release with two finished audits, a failed one and one that waits; nothing else."""
    ((release_id,),) = hedging.rows("SELECT id FROM releases")
    with hedging.writing() as work:
        work.session.connection().exec_driver_sql("DELETE FROM audits")
        rows = (("a1", "done", 40), ("a2", "done", 30), ("a3", "failed", 20), ("a4", "queued", 10))
        work.session.add_all(audit(hedging, release_id, *row) for row in rows)
    return hedging, release_id


def test_the_newest_finished_audit_is_neither_the_failed_nor_the_waiting_one(audited: tuple[ActionDriver, str]) -> None:
    driver, release_id = audited
    with driver.reading() as work:
        done, live = audits.find_newest_done(work.session, release_id), audits.find_live_audit(work.session, release_id)
        assert (done and done.id, live and live.id) == ("a2", "a4")
        assert [row.id for row in audits.page_of_audits(work.session, SUMS, None, None, 2)] == ["a4", "a3"]
        assert [row.id for row in audits.page_of_audits(work.session, SUMS, release_id, "a3", 9)] == ["a2", "a1"]
        assert audits.page_of_audits(work.session, SUMS, "other", None, 9) == []


@pytest.mark.parametrize(("days", "state", "is_due"), [(19, "done", True), (21, "done", False), (19, "queued", False)])
def test_a_release_is_measured_again_by_its_last_attempt_and_only_when_none_waits(
    audited: tuple[ActionDriver, str], days: int, state: str, is_due: bool
) -> None:
    driver, release_id = audited
    with driver.writing() as work:
        work.session.connection().exec_driver_sql(f"UPDATE releases SET audit_state = '{state}'")
    with driver.reading() as work:
        due = audits.measured_before(work.session, driver.clock.now() - timedelta(days=days), 9)
    assert [row.id for row in due] == ([release_id] if is_due else [])


def test_what_was_measured_is_forgotten_with_its_package(audited: tuple[ActionDriver, str]) -> None:
    driver, release_id = audited
    with driver.writing() as work:
        audits.forget_measurements(work.session, SUMS, [release_id])
    assert driver.rows("SELECT id FROM audits") == []


def test_a_package_that_is_not_listed_shows_no_release(hedging: ActionDriver) -> None:
    with hedging.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET is_listed = 0")
    with hedging.reading() as work:
        assert audits.shown_releases(work.session) == []
