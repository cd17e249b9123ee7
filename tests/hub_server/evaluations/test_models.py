"""What the tables of benchmarks refuse and how they are found."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.evaluations.models import BenchmarkRelationRow, BenchmarkReportRow, BenchmarkResultsRow
from tests.hub_server.evaluations.ladders import BENCH
from tests.making.action_driver import ActionDriver


def row(driver: ActionDriver, **more) -> BenchmarkResultsRow:
    ((release_id,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p", p=BENCH)
    fields = {
        "id": "r1", "release_id": release_id, "benchmark": BENCH, "version": "1.0.0", "environment": "al/e",
        "environment_version": "1.0.0", "model": "m", "harness": "h", "submitted_by": "bob", "outcomes": {"t": [1, 2]},
    }  # fmt: skip
    return BenchmarkResultsRow(submitted_at=driver.clock.now(), **{**fields, **more})


def refused(driver: ActionDriver, made: object) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(made)


@pytest.mark.parametrize("field", ["environment", "model", "harness", "submitted_by"])
def test_one_account_has_one_row_for_a_place_and_any_difference_is_another_place(
    bench: ActionDriver, field: str
) -> None:
    with bench.writing() as work:
        work.session.add(row(bench))
    refused(bench, row(bench, id="r2"))
    refused(bench, row(bench, id="r2", environment_version="2.0.0", run_id="another"))
    with bench.writing() as work:
        work.session.add(row(bench, id="r2", **{field: "another"}))
    assert len(bench.rows("SELECT id FROM benchmark_results")) == 2


def test_results_and_reports_are_of_a_release_that_exists(bench: ActionDriver) -> None:
    refused(bench, row(bench, release_id="none"))
    refused(bench, BenchmarkReportRow(release_id="none", computed_at=bench.clock.now(), report={}))
    refused(
        bench,
        BenchmarkRelationRow(
            first_release_id="a", second_release_id="none", computed_at=bench.clock.now(), relation={}
        ),
    )


def test_what_was_left_out_is_nothing_unless_it_is_said(bench: ActionDriver) -> None:
    with bench.writing() as work:
        work.session.add(row(bench))
    assert bench.rows("SELECT left_out, run_id FROM benchmark_results") == [("{}", None)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM benchmark_results WHERE release_id = 'x'",
        "SELECT * FROM benchmark_reports WHERE release_id = 'x'",
        "SELECT * FROM benchmark_relations WHERE first_release_id = 'x' OR second_release_id = 'x'",
    ],
)
def test_what_a_page_asks_is_found_by_an_index(bench: ActionDriver, statement: str) -> None:
    assert "SCAN" not in bench.plan_of(statement)
