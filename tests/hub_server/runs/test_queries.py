"""Statements about runs: one statement a page, by an index, and only what the question was about."""

import pytest

from hub_server.runs import queries
from hub_server.runs.models import MetricPointRow, RolloutLineRow, RunPackageRow, RunRow
from schemas.run import RunFilter
from tests.making.action_driver import ActionDriver


def run_row(driver: ActionDriver, identifier: str, **more) -> RunRow:
    now = driver.clock.now()
    fields = {"name": "r", "owner": "ann", "kind": "training", "state": "running", "model": "", "recipe": ""}
    empty = {"packages": [], "rewards": {}, "config": {}, "summary": {}}
    return RunRow(id=identifier, created_at=now, updated_at=now, **{**fields, **empty, **more})


def line(run_id: str, **more) -> RolloutLineRow:
    fields = {"step": 1, "phase": "train", "package": "", "task_id": "t", "prompt": "", "response": "x", "error": ""}
    return RolloutLineRow(run_id=run_id, rewards={}, **{**fields, **more})


@pytest.fixture
def filled(driver: ActionDriver) -> ActionDriver:
    with driver.writing() as work:
        work.session.add_all([run_row(driver, "a"), run_row(driver, "b", owner="ben"), run_row(driver, "c")])
        work.session.flush()
        work.session.add_all([RunPackageRow(run_id=one, package_id="al/x") for one in ("a", "b")])
    return driver


def test_a_page_holds_the_runs_before_the_one_that_it_follows(filled: ActionDriver) -> None:
    with filled.reading() as work:
        pages = {
            (None, None, None): "cba", ("ann", None, None): "ca", (None, "al/x", None): "ba", (None, None, "c"): "ba",
            ("ben", "al/x", None): "b", ("ben", None, "b"): "", (None, "al/none", None): "",
        }  # fmt: skip
        for (owner, package, before), expected in pages.items():
            found = queries.page_of_runs(work.session, RunFilter(owner, package), before, 10)
            assert "".join(run.id for run in found) == expected
        assert len(queries.page_of_runs(work.session, RunFilter(), None, 2)) == 2


def test_accounts_with_many_evaluations_push_out_nobodys(driver: ActionDriver) -> None:
    done = {"kind": "evaluation", "state": "finished"}
    with driver.writing() as work:
        rows = [run_row(driver, "a", owner="ann", **done)]
        rows += [run_row(driver, f"{owner}{n}", owner=owner, **done) for owner in ("m", "n") for n in range(5)]
        work.session.add_all(rows)
        work.session.flush()
        work.session.add_all([RunPackageRow(run_id=row.id, package_id="al/x") for row in rows])
    with driver.reading() as work:
        found = [row.id for row in queries.newest_evaluations(work.session, "al/x", 4, 3)]
        assert found == ["n4", "n3", "m4", "a"]
        assert [row.id for row in queries.newest_evaluations(work.session, "al/x", 100, 2)] == [
            "n4",
            "n3",
            "m4",
            "m3",
            "a",
        ]
        assert set(queries.packages_evaluated_by(work.session, "ann")) == {"al/x"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM runs WHERE owner = 'x' ORDER BY id DESC LIMIT 20",
        "SELECT * FROM rollouts WHERE run_id = 'x' AND id > 7 ORDER BY id LIMIT 20",
        "SELECT * FROM rollouts WHERE run_id = 'x' AND step = 7 ORDER BY id LIMIT 20",
        "SELECT * FROM metric_points WHERE run_id = 'x' ORDER BY step",
        "SELECT run_id FROM run_packages WHERE package_id = 'x'",
    ],
)
def test_what_a_page_asks_is_found_by_an_index_and_needs_no_sorting_of_all(
    driver: ActionDriver, statement: str
) -> None:
    plan = driver.plan_of(statement)
    assert "SEARCH" in plan
    assert "SCAN" not in plan


def test_metrics_come_by_step_and_a_step_is_replaced_within_its_run_alone(filled: ActionDriver) -> None:
    def keep(run_id: str, steps: dict[int, float]) -> None:
        rows = {step: MetricPointRow(run_id=run_id, step=step, metrics={"m": value}) for step, value in steps.items()}
        filled.do(None, lambda work: queries.replace_metrics(work.session, run_id, rows))

    keep("a", {5: 0.5, 1: 0.1})
    keep("b", {5: 9.0})
    keep("a", {5: 0.6})
    keep("a", {})
    with filled.reading() as work:
        found = {
            one: [(row.step, row.metrics["m"]) for row in queries.metrics_of(work.session, one, 100)] for one in "abc"
        }
    assert found == {"a": [(1, 0.1), (5, 0.6)], "b": [(5, 9.0)], "c": []}


def test_a_rollout_is_found_in_its_own_run(filled: ActionDriver) -> None:
    filled.do(None, lambda work: queries.add_rollouts(work.session, [line("a")]))
    ((number,),) = filled.rows("SELECT id FROM rollouts")
    with filled.reading() as work:
        assert queries.find_rollout(work.session, "a", number) is not None
        assert queries.find_rollout(work.session, "b", number) is None
        assert queries.find_rollout(work.session, "a", number + 1) is None


def test_newest_rollouts_of_a_package_leave_out_others_runs_other_packages_and_failed_calls(
    filled: ActionDriver,
) -> None:
    lines = [
        line("a", response="whole run"),
        line("a", response="named", package="al/x"),
        line("a", response="other's", package="al/y"),
        line("a", response="failed", error="timeout"),
        line("c", response="never pinned", package="al/x"),
        line("b", response="newest"),
    ]
    filled.do(None, lambda work: queries.add_rollouts(work.session, lines))
    with filled.reading() as work:
        found = queries.newest_rollouts(work.session, "al/x", 10)
        assert [(row.response, run.id) for row, run in found] == [("newest", "b"), ("named", "a"), ("whole run", "a")]
        assert len(queries.newest_rollouts(work.session, "al/x", 1)) == 1


def test_counts_are_of_one_run(filled: ActionDriver) -> None:
    lines = [line("a", step=2), line("a", step=10), line("a", step=10, phase="eval"), line("b", step=3)]
    filled.do(None, lambda work: queries.add_rollouts(work.session, lines))
    with filled.reading() as work:
        assert queries.count_rollouts(work.session, "a") == {
            "phase": {"eval": 1, "train": 2},
            "step": {"2": 1, "10": 2},
        }
        assert queries.count_rollouts(work.session, "c") == {"phase": {}, "step": {}}
        assert list(queries.count_rollouts(work.session, "a")["step"]) == ["2", "10"], "steps in order of number"
