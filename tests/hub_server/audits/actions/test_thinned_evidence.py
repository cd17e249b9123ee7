"""An author in F who leaves out cases: the next release is no better for it."""

from hub_server.audits import actions
from hub_server.catalog.actions import get_release
from schemas.evidence.rates import Grade
from tests.hub_server.audits.actions.test_audit_runs import release_id, report
from tests.hub_server.audits.judged import SUMS, publish
from tests.making.action_driver import ActionDriver
from tests.making.reports import make_report


def graded(driver: ActionDriver, version: str, audit: str = "", **counts: int) -> Grade:
    found = make_report(**counts)
    changed = report(driver, version, grade=found.grade, overall=found.overall)
    name = audit or f"a-{version}"
    driver.do(None, actions.start_audit, name, release_id(driver, version))
    driver.do(None, actions.finish_audit, name, changed)
    summary = driver.ask(None, get_release, SUMS, version).audit
    assert summary is not None
    return summary.grade


def test_the_same_code_with_fewer_cases_stays_in_f_until_the_earlier_release_leaves_it(hedging: ActionDriver) -> None:
    assert graded(hedging, "1.0.0", tn=10, fp=30) is Grade.F
    publish(hedging, "1.1.0")
    assert graded(hedging, "1.1.0", tn=1) is Grade.F
    summary = hedging.ask(None, get_release, SUMS, "1.1.0").audit
    assert summary is not None
    assert "release 1.0.0 with the same code is in F" in summary.needs[0]
    assert graded(hedging, "1.0.0", "again", tn=40) is Grade.D
    assert graded(hedging, "1.1.0", "anew", tn=1) is Grade.UNMEASURED


def test_few_cases_of_a_first_release_are_no_f(hedging: ActionDriver) -> None:
    assert graded(hedging, "1.0.0", tn=1) is Grade.UNMEASURED
    publish(hedging, "1.1.0")
    assert graded(hedging, "1.1.0", tn=1) is Grade.UNMEASURED
