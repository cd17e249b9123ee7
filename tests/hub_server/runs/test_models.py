"""What the tables of runs refuse and fill in by themselves."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.runs.models import MetricPointRow, RolloutLineRow, RunPackageRow
from tests.hub_server.runs.test_queries import line, run_row
from tests.making.action_driver import ActionDriver


def refused(driver: ActionDriver, row: object) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(row)


@pytest.fixture
def begun(driver: ActionDriver) -> ActionDriver:
    with driver.writing() as work:
        work.session.add(run_row(driver, "a"))
    return driver


def test_nothing_is_reported_to_a_run_that_does_not_exist(driver: ActionDriver) -> None:
    refused(driver, line("none"))
    refused(driver, MetricPointRow(run_id="none", step=1, metrics={}))
    refused(driver, RunPackageRow(run_id="none", package_id="al/x"))


def test_a_step_has_one_row_and_a_package_is_used_once(begun: ActionDriver) -> None:
    with begun.writing() as work:
        work.session.add_all(
            [MetricPointRow(run_id="a", step=1, metrics={}), RunPackageRow(run_id="a", package_id="p")]
        )
    refused(begun, MetricPointRow(run_id="a", step=1, metrics={}))
    refused(begun, RunPackageRow(run_id="a", package_id="p"))


def test_a_fresh_run_has_no_note_no_outcome_and_no_step(begun: ActionDriver) -> None:
    assert begun.rows("SELECT note, outcomes, last_step FROM runs") == [("", "[]", None)]


def test_rollouts_are_numbered_in_the_order_they_came_even_across_runs(begun: ActionDriver) -> None:
    with begun.writing() as work:
        work.session.add(run_row(begun, "b"))
        work.session.flush()
        for run_id in ("a", "b", "a"):
            work.session.add(line(run_id))
            work.session.flush()
    numbers = [row[0] for row in begun.rows("SELECT id FROM rollouts ORDER BY rowid")]
    assert numbers == sorted(set(numbers))


def test_steps_and_numbers_may_be_larger_than_32_bits(begun: ActionDriver) -> None:
    with begun.writing() as work:
        work.session.add(MetricPointRow(run_id="a", step=2**40, metrics={"m": None}))
        work.session.add(line("a", step=2**40))
    with begun.reading() as work:
        row = work.session.query(RolloutLineRow).one()
        assert (row.step, row.held_out, row.advantage, row.tokens) == (2**40, {}, None, None)
