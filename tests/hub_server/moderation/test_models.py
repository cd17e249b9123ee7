"""What the tables of moderation refuse and fill in."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.moderation.models import ModerationEventRow, ReportRow
from tests.making.desk import Desk


def report(desk: Desk, **more) -> ReportRow:
    fields = {"id": "r", "package_id": "alice/small-sums", "reason": "spam", "text": "x", "reporter": "bob"}
    return ReportRow(created_at=desk.clock.now(), **{**fields, **more})


def event(desk: Desk, **more) -> ModerationEventRow:
    fields = {"id": "e", "actor": "moda", "action": "decide", "package_id": "alice/small-sums", "reason": "x"}
    return ModerationEventRow(at=desk.clock.now(), **{**fields, **more})


@pytest.mark.parametrize("make", [report, event])
def test_nothing_is_said_of_a_package_that_does_not_exist(desk: Desk, make) -> None:
    with pytest.raises(IntegrityError), desk.writing() as work:
        work.session.add(make(desk))


@pytest.mark.parametrize(
    ("make", "field"), [(report, "text"), (report, "reporter"), (event, "actor"), (event, "reason"), (event, "action")]
)
def test_who_said_what_is_never_left_out(desk: Desk, make, field: str) -> None:
    desk.publish(desk.person("alice"))
    with pytest.raises(IntegrityError), desk.writing() as work:
        work.session.add(make(desk, **{field: None}))


def test_a_fresh_report_is_open_and_undecided(desk: Desk) -> None:
    desk.publish(desk.person("alice"))
    with desk.writing() as work:
        work.session.add_all([report(desk), event(desk)])
    assert desk.rows("SELECT state, decision, decided_by, decided_at, version FROM reports") == [
        ("open", "", "", None, None)
    ]
    assert desk.rows("SELECT case_id, version FROM moderation_events") == [("", None)]
