"""Audits as they are read and asked for: whose, of which release, one at a time."""

import pytest

from hub_server.audits import actions
from hub_server.audits.errors import AuditNotFoundError
from hub_server.audits.models import AuditRow
from hub_server.catalog.errors import PackageNotFoundError, QuarantinedError, ReleaseNotFoundError
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from schemas.account import Scope
from tests.hub_server.audits.judged import ALICE, BOB, MODA, SUMS, publish
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller
from tests.making.reports import make_report


def add(driver: ActionDriver, identifier: str, state: str = "done", version: str = "1.0.0") -> str:
    ((release_id,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p AND version = :v", p=SUMS, v=version)
    report = make_report().model_dump(mode="json") if state == "done" else None
    with driver.writing() as work:
        work.session.add(
            AuditRow(
                id=identifier,
                package_id=SUMS,
                release_id=release_id,
                version=version,
                state=state,
                created_at=work.now,
                report=report,
            )
        )
    return identifier


def test_a_release_that_nobody_measured_has_no_audit_and_no_figures(hedging: ActionDriver) -> None:
    assert hedging.ask(None, actions.find_latest_audit, SUMS) is None
    with pytest.raises(AuditNotFoundError, match="not measured yet"):
        hedging.ask(None, actions.get_latest_audit, SUMS)


def test_the_latest_is_the_newest_finished_one(hedging: ActionDriver) -> None:
    for identifier, state in (("a1", "done"), ("a2", "done"), ("a3", "failed"), ("a4", "running")):
        add(hedging, identifier, state)
    found = hedging.ask(None, actions.get_latest_audit, SUMS)
    assert found.id == "a2"
    assert found.report is not None
    assert found.report_digest.startswith("sha256:")


def test_an_audit_is_shown_under_the_release_that_it_measured(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    add(hedging, "a1")
    assert hedging.ask(None, actions.get_audit_of, SUMS, "1.0.0", "a1").id == "a1"
    with pytest.raises(AuditNotFoundError):
        hedging.ask(None, actions.get_audit_of, SUMS, "1.1.0", "a1")
    for identifier in ("", "none", "\x00"):
        with pytest.raises(AuditNotFoundError):
            hedging.ask(None, actions.get_audit, identifier)


def test_lists_are_of_a_package_or_of_one_release_newest_first(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    for identifier, version in (("a1", "1.0.0"), ("a2", "1.1.0"), ("a3", "1.0.0")):
        add(hedging, identifier, version=version)
    page = hedging.ask(None, actions.list_audits, SUMS, limit=2)
    rest = hedging.ask(None, actions.list_audits, SUMS, cursor=page.next)
    assert [one.id for one in [*page.items, *rest.items]] == ["a3", "a2", "a1"]
    assert [one.id for one in hedging.ask(None, actions.list_audits, SUMS, "1.0.0").items] == ["a3", "a1"]
    assert [one.id for one in hedging.ask(None, actions.list_audits, SUMS, "latest").items] == ["a2"]
    with pytest.raises(PackageNotFoundError):
        hedging.ask(None, actions.list_audits, "alice/none")
    with pytest.raises(ReleaseNotFoundError):
        hedging.ask(None, actions.list_audits, SUMS, "9.0.0")
    with pytest.raises(InvalidRequestError):
        hedging.ask(None, actions.list_audits, SUMS, limit=0)


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (caller("bob", scopes=EVERY_SCOPE - {Scope.CASES}), NotAllowedError),
        (BOB, None),
        (ALICE, None),
    ],
)
def test_anybody_with_an_account_asks_for_a_measurement(hedging: ActionDriver, by, error) -> None:
    if error is None:
        assert hedging.do(by, actions.request_audit, SUMS, "1.0.0").state == "queued"
    else:
        with pytest.raises(error):
            hedging.do(by, actions.request_audit, SUMS, "1.0.0")


def test_one_that_waits_or_runs_is_returned_instead_of_a_second(hedging: ActionDriver) -> None:
    first = hedging.do(BOB, actions.request_audit, SUMS, "1.0.0")
    for by in (BOB, ALICE):
        assert hedging.do(by, actions.request_audit, SUMS, "latest").id == first.id
    with hedging.writing() as work:
        row = work.session.get(AuditRow, first.id)
        assert row is not None
        row.state = "running"
    assert hedging.do(ALICE, actions.request_audit, SUMS, "1.0.0").state == "running"
    assert len(hedging.rows("SELECT id FROM jobs WHERE name = 'audits.audit_release'")) == 1


def test_what_judges_nothing_and_what_is_quarantined_is_not_measured(hedging: ActionDriver) -> None:
    hedging.publish(
        ALICE, "alice/look", manifest='format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:f"]\n'
    )
    with pytest.raises(NothingToExecuteError):
        hedging.do(BOB, actions.request_audit, "alice/look", "1.0.0")
    hedging.do(MODA, quarantine_release, SUMS, "1.0.0", "steals")
    with pytest.raises(QuarantinedError):
        hedging.do(ALICE, actions.request_audit, SUMS, "1.0.0")
