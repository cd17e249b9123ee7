"""A benchmark's report: of exactly the results that are there, with the audits of now, readable by the next version."""

import pytest

from hub_server.catalog import actions as catalog
from hub_server.evaluations import actions
from hub_server.evaluations.errors import BenchmarkNotFoundError
from hub_server.evaluations.models import BenchmarkReportRow
from schemas.benchmark import REPORT_FORMAT, BenchmarkReport
from tests.hub_server.evaluations.ladders import ALICE, BENCH, BOB, SUMS, benchmark, results, send
from tests.hub_server.site.samples import summary
from tests.making.action_driver import ActionDriver


def release_id(driver: ActionDriver, package: str = BENCH) -> str:
    ((found,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p", p=package)
    return found


def measured(driver: ActionDriver, package: str = BENCH) -> BenchmarkReport | None:
    """What the job does."""
    identifier = release_id(driver, package)
    found = driver.ask(None, actions.compute_report, identifier)
    if found is not None:
        driver.do(None, actions.keep_report, identifier, found)
    return found


def audited(driver: ActionDriver, *counts: int) -> None:
    with driver.writing() as work:
        row = catalog.resolve_release(work, SUMS, "1.0.0")
        catalog.record_audit_summary(work, row.id, summary("1.0.0", *counts), "")


def test_without_results_there_is_no_report_and_no_number(bench: ActionDriver) -> None:
    assert measured(bench) is None
    assert bench.ask(None, actions.find_report, BENCH) is None
    with pytest.raises(BenchmarkNotFoundError, match="Nobody has sent results"):
        bench.ask(None, actions.get_report, BENCH)
    with pytest.raises(BenchmarkNotFoundError, match="is no benchmark"):
        bench.ask(None, actions.find_report, SUMS)


def test_a_report_holds_every_submission_once(bench: ActionDriver) -> None:
    send(bench, results("weak", 1))
    send(bench, results("strong", 5))
    send(bench, results("strong", 6))
    measured(bench)
    found = bench.ask(None, actions.get_report, BENCH)
    assert [(row.model, row.score.value) for row in found.leaderboard] == [
        ("strong", 1.0),
        ("weak", pytest.approx(1 / 6)),
    ]
    assert (found.submissions, found.attempts) == (2, 48)
    assert found.leaderboard[0].score.low < 1.0, "six tasks of six are no certainty"


def test_a_list_of_benchmarks_costs_nothing_for_those_without_results(bench: ActionDriver) -> None:
    """A page of twenty benchmarks sent sixty statements, results or not."""
    wanted: dict[str, str | None] = {BENCH: "1.0.0", "alice/none": "1.0.0", "alice/withdrawn": None}
    with bench.reading() as work, bench.statements() as sent:
        assert actions.find_reports(work, wanted) == {}
        counted = [statement for statement in sent if statement.startswith("SELECT")]
    assert len(counted) == 1
    send(bench, results())
    measured(bench)
    assert bench.ask(None, actions.find_reports, wanted) == {BENCH: bench.ask(None, actions.get_report, BENCH)}


def test_a_report_is_current_until_newer_results_come(bench: ActionDriver) -> None:
    assert bench.ask(None, actions.is_current, BENCH), "nothing to be older than"
    send(bench, results())
    assert not bench.ask(None, actions.is_current, BENCH)
    measured(bench)
    assert bench.ask(None, actions.is_current, BENCH)
    send(bench, results(solved=4))
    assert not bench.ask(None, actions.is_current, BENCH)


def test_the_same_results_again_are_confirmed_and_not_computed(bench: ActionDriver) -> None:
    send(bench, results())
    measured(bench)
    send(bench, results())  # a retry: nothing has changed but the moment
    assert not bench.ask(None, actions.is_current, BENCH)
    assert bench.do(None, actions.confirm_report, release_id(bench))
    assert bench.ask(None, actions.is_current, BENCH)
    send(bench, results(solved=5))
    assert not bench.do(None, actions.confirm_report, release_id(bench))


def test_the_audit_of_now_is_read_into_a_report_of_then(bench: ActionDriver) -> None:
    send(bench, results("m", 3))
    measured(bench)
    before = bench.ask(None, actions.get_report, BENCH)
    assert [(one.environment, one.trust_level) for one in before.environments] == [(SUMS, "unaudited")]
    assert before.leaderboard[0].corrected.reason
    audited(bench, 2, 400, 2, 400)
    after = bench.ask(None, actions.get_report, BENCH)
    (judged,) = after.environments
    assert (judged.audited, judged.case_count) == (f"{SUMS}@1.0.0", 800)
    assert judged.trust_level != "unaudited"
    assert after.leaderboard[0].score == before.leaderboard[0].score, "what was observed stays what it was"


def test_a_report_of_an_older_format_is_none_and_is_computed_anew(bench: ActionDriver) -> None:
    send(bench, results())
    measured(bench)
    with bench.writing() as work:
        row = work.session.get(BenchmarkReportRow, release_id(bench))
        assert row is not None
        row.report = {**row.report, "format": REPORT_FORMAT - 1}
    assert bench.ask(None, actions.find_report, BENCH) is None
    assert not bench.ask(None, actions.is_current, BENCH)
    assert not bench.do(None, actions.confirm_report, release_id(bench))
    measured(bench)
    assert bench.ask(None, actions.get_report, BENCH).submissions == 1


def test_two_benchmarks_are_related_seen_from_both_sides_and_never_with_themselves(bench: ActionDriver) -> None:
    bench.publish(ALICE, "alice/again", manifest=benchmark("alice/again"))
    for model in range(6):
        for package in (BENCH, "alice/again"):
            send(bench, results(f"m{model}", model), package=package)
    measured(bench)
    measured(bench, "alice/again")
    measured(bench)  # twice: still one relation
    assert len(bench.rows("SELECT * FROM benchmark_relations")) == 1
    for own, other in ((BENCH, "alice/again"), ("alice/again", BENCH)):
        (related,) = bench.ask(None, actions.get_report, own).related
        assert (related.benchmark, related.version, related.entries) == (other, "1.0.0", 6)
        assert related.kendall is not None
        assert related.kendall.value == pytest.approx(1.0)


def test_benchmarks_with_too_few_entries_in_common_are_not_called_alike(bench: ActionDriver) -> None:
    bench.publish(ALICE, "alice/again", manifest=benchmark("alice/again"))
    send(bench, results("only here"))
    send(bench, results("only there"), package="alice/again")
    measured(bench)
    measured(bench, "alice/again")
    assert bench.ask(None, actions.get_report, BENCH).related == []


def test_the_newest_version_of_an_environment_by_order_of_versions_is_the_one_whose_audit_counts(
    bench: ActionDriver,
) -> None:
    send(bench, results("a", environment_version="1.9.0"))
    send(bench, results("b", environment_version="1.10.0"), by=ALICE)
    send(bench, results("a", environment_version="1.9.0"), by=BOB)
    measured(bench)
    (judged,) = bench.ask(None, actions.get_report, BENCH).environments
    assert judged.version == "1.10.0"
    assert judged.audited == "", "a release that is not on this hub was measured by nobody here"
