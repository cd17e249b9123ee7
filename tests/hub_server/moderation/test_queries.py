"""Statements about reports and the log: order, filters, and that a long log is read by an index."""

import pytest
from sqlalchemy import false

from hub_server.moderation import queries
from hub_server.moderation.models import ModerationEventRow, ReportRow
from tests.making.action_driver import ActionDriver, caller


@pytest.fixture
def filled(driver: ActionDriver) -> ActionDriver:
    alice = driver.person("alice")
    for package in ("alice/one", "alice/two"):
        driver.publish(alice, package)
    now = driver.clock.now()
    rows = (
        ("r1", "alice/one", "bob", "open"),
        ("r2", "alice/one", "bob", "dismissed"),
        ("r3", "alice/two", "bob", "open"),
    )
    with driver.writing(caller("moda")) as work:
        for identifier, package, reporter, state in rows:
            work.session.add(
                ReportRow(
                    id=identifier,
                    package_id=package,
                    reason="spam",
                    text="x",
                    reporter=reporter,
                    state=state,
                    created_at=now,
                )
            )
        for n, package in enumerate(("alice/one", "alice/two", "alice/one")):
            work.session.add(
                ModerationEventRow(id=f"e{n}", at=now, actor="moda", action="decide", package_id=package, reason="x")
            )
    return driver


@pytest.mark.parametrize(
    ("state", "before", "limit", "expected"),
    [(None, None, 9, "r3 r2 r1"), ("open", None, 9, "r3 r1"), ("open", "r3", 9, "r1"), (None, None, 2, "r3 r2"),
     ("acted", None, 9, ""), (None, "r1", 9, "")],
)  # fmt: skip
def test_a_page_of_reports(filled: ActionDriver, state, before, limit: int, expected: str) -> None:
    with filled.reading() as work:
        found = queries.page_of_reports(work.session, state, before, limit, queries.is_listed(false()))
    assert " ".join(row.id for row in found) == expected


@pytest.mark.parametrize(
    ("package", "before", "expected"),
    [(None, None, "e2 e1 e0"), ("alice/one", None, "e2 e0"), ("alice/one", "e2", "e0"), ("alice/none", None, "")],
)
def test_a_page_of_the_log(filled: ActionDriver, package, before, expected: str) -> None:
    with filled.reading() as work:
        found = queries.page_of_events(work.session, package, None, before, 9)
    assert " ".join(row.id for row in found) == expected


def test_only_an_open_report_of_that_account_about_that_package_is_added_to(filled: ActionDriver) -> None:
    with filled.reading() as work:
        found = queries.find_open_report(work.session, "bob", package_id="alice/one")
        assert found is not None
        assert found.id == "r1"
        for package, reporter in (("alice/one", "carol"), ("alice/none", "bob"), ("alice/one", "BOB")):
            assert queries.find_open_report(work.session, reporter, package_id=package) is None


def test_counts_name_only_states_that_occur(filled: ActionDriver) -> None:
    with filled.reading() as work:
        assert queries.count_reports(work.session, queries.is_listed(false())) == {"dismissed": 1, "open": 2}
        assert queries.find_report(work.session, "r9") is None


def test_open_reports_and_a_packages_log_are_found_by_an_index(filled: ActionDriver) -> None:
    for statement in (
        "SELECT * FROM reports WHERE state = 'open' ORDER BY id DESC LIMIT 50",
        "SELECT * FROM moderation_events WHERE package_id = 'x'",
        "SELECT * FROM reports WHERE package_id = 'x' AND reporter = 'y'",
    ):
        assert "SEARCH" in filled.plan_of(statement)
