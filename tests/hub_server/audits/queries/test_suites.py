"""Suites in the database: the newest audit counts, and only listed packages stand on a leaderboard."""

from hub_server.audits.models import SuiteResultRow
from hub_server.audits.queries import suites
from tests.hub_server.audits.judged import ALICE, SUMS
from tests.making.action_driver import ActionDriver


def result(release_id: str, suite: str, wrong: dict[str, str]) -> SuiteResultRow:
    return SuiteResultRow(release_id=release_id, suite=suite, measurement={"wrong": len(wrong)}, wrong=wrong)


def test_a_new_audit_replaces_what_an_earlier_one_measured_and_nobody_elses(hedging: ActionDriver) -> None:
    hedging.publish(ALICE, "alice/b")
    found = dict(hedging.rows("SELECT package_id, id FROM releases"))
    mine, other = found[SUMS], found["alice/b"]
    with hedging.writing() as work:
        suites.replace_suite_results(work.session, mine, [result(mine, "al/s", {"c1": "fp"}), result(mine, "al/t", {})])
        suites.replace_suite_results(work.session, other, [result(other, "al/s", {"c2": "fn"})])
    with hedging.writing() as work:
        suites.replace_suite_results(work.session, mine, [result(mine, "al/s", {"c1": "fp", "c3": "fp"})])
    with hedging.reading() as work:
        assert [(row.package_id, seen) for row, seen in suites.shown_results_on(work.session, "al/s")] == [
            ("alice/b", {"wrong": 1}),
            (SUMS, {"wrong": 2}),
        ]
        assert suites.shown_results_on(work.session, "al/t") == [], "the newest audit did not run that suite"
        assert suites.wrong_on_suite(work.session, "al/s", [mine]) == {mine: {"c1": "fp", "c3": "fp"}}


def test_a_package_that_is_not_listed_stands_on_no_leaderboard(hedging: ActionDriver) -> None:
    ((release_id,),) = hedging.rows("SELECT id FROM releases")
    with hedging.writing() as work:
        suites.replace_suite_results(work.session, release_id, [result(release_id, "al/s", {})])
    with hedging.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET is_listed = 0")
    with hedging.reading() as work:
        assert suites.shown_results_on(work.session, "al/s") == []
        assert suites.shown_suites(work.session) == []
