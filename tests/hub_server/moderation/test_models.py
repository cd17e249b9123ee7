"""What the tables of moderation refuse and fill in."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.moderation.models import ModerationEventRow, ReportRow
from tests.making.action_driver import ActionDriver


def report(driver: ActionDriver, **more) -> ReportRow:
    fields = {"id": "r", "package_id": "alice/small-sums", "reason": "spam", "text": "x", "reporter": "bob"}
    return ReportRow(created_at=driver.clock.now(), **{**fields, **more})


def event(driver: ActionDriver, **more) -> ModerationEventRow:
    fields = {"id": "e", "actor": "moda", "action": "decide", "package_id": "alice/small-sums", "reason": "x"}
    return ModerationEventRow(at=driver.clock.now(), **{**fields, **more})


@pytest.mark.parametrize("make", [report, event])
def test_nothing_is_said_of_a_package_that_does_not_exist(driver: ActionDriver, make) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(make(driver))


@pytest.mark.parametrize(
    ("make", "field"), [(report, "text"), (report, "reporter"), (event, "actor"), (event, "reason"), (event, "action")]
)
def test_who_said_what_is_never_left_out(driver: ActionDriver, make, field: str) -> None:
    driver.publish(driver.person("alice"))
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(make(driver, **{field: None}))


def test_a_fresh_report_is_open_and_undecided(driver: ActionDriver) -> None:
    driver.publish(driver.person("alice"))
    with driver.writing() as work:
        work.session.add_all([report(driver), event(driver)])
    assert driver.rows("SELECT state, decision, decided_by, decided_at, version FROM reports") == [
        ("open", "", "", None, None)
    ]
    assert driver.rows("SELECT case_id, version FROM moderation_events") == [("", None)]
