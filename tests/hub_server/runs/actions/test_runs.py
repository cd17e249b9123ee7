"""Runs: what may be said of them, and what follows when they finish."""

import pytest
from sqlalchemy import text

from hub_server.errors import InvalidRequestError
from hub_server.kernel.job_names import JobName
from hub_server.runs import actions
from schemas.run import RunFilter, RunOutcome, RunState, RunUpdate
from tests.hub_server.runs.actions.reports import ANN, PIN, begun
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")
GATHERING = f"SELECT account FROM jobs WHERE name = '{JobName.GATHER_DISAGREEMENTS}'"


def test_a_run_belongs_to_the_account_that_began_it_and_runs(driver: ActionDriver) -> None:
    run = begun(driver, config={"lr": 1e-6}, packages=[PIN])
    assert (run.owner, run.state, run.last_step) == ("ann", RunState.RUNNING, None)
    assert driver.ask(None, actions.get_run, run.id) == run


def test_a_package_that_is_pinned_twice_is_used_once(driver: ActionDriver) -> None:
    run = begun(driver, packages=[PIN, PIN.model_copy(update={"version": "1.1.0"})])
    assert driver.rows("SELECT package_id FROM run_packages") == [("alice/sums",)]
    assert len(run.packages) == 2, "what was pinned is kept as it was said"


@pytest.mark.parametrize("kind", ["", "Training", "trainings"])
def test_a_kind_that_nobody_knows_is_refused(driver: ActionDriver, kind: str) -> None:
    with pytest.raises(InvalidRequestError, match="training or evaluation"):
        begun(driver, kind=kind)


@pytest.mark.parametrize("config", [{"x": "\ud800"}, {"\udfff": 1}, {"x": [{"y": ["a\ud83d"]}]}])
def test_settings_that_are_no_text_are_refused_and_not_a_fault(driver: ActionDriver, config) -> None:
    with pytest.raises(InvalidRequestError, match="surrogate"):
        begun(driver, config=config)


def test_a_finished_run_is_looked_through_once_for_each_package(driver: ActionDriver) -> None:
    driver.publish(ALICE, "alice/sums")
    run = begun(driver, packages=[PIN, PIN])
    for _ in range(2):
        driver.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED))
    assert driver.rows(GATHERING) == [("ann",)]


def test_names_without_a_package_cause_no_jobs(driver: ActionDriver) -> None:
    """A run may pin some 2,000 names, and each would be a job that everybody's audits wait for."""
    made_up = [PIN.model_copy(update={"package": f"alice/none-{n}"}) for n in range(1000)]
    run = begun(driver, kind="evaluation", packages=made_up)
    counts = {"harness": "h", "task_count": 1, "attempts": 1, "successes": 1, "pass_rate": 1.0}
    outcomes = [RunOutcome(environment=pin.package, version=pin.version, **counts) for pin in made_up[:200]]
    driver.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED, outcomes=outcomes))
    assert driver.rows("SELECT name FROM jobs") == []


def test_a_private_package_of_another_causes_no_job(driver: ActionDriver) -> None:
    driver.publish(ALICE, "alice/sums")
    with driver.writing() as work:
        work.session.execute(text("UPDATE packages SET is_private = (1 = 1)"))
    run = begun(driver, packages=[PIN])
    driver.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.FINISHED))
    assert driver.rows(GATHERING) == []


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.RUNNING])
def test_a_run_that_did_not_finish_asks_nobody(driver: ActionDriver, state: RunState) -> None:
    run = begun(driver, packages=[PIN])
    assert driver.do(ANN, actions.update_run, run.id, RunUpdate(state=state)).state is state
    assert driver.rows("SELECT id FROM jobs") == []


def test_a_change_leaves_alone_what_it_does_not_name(driver: ActionDriver) -> None:
    run = begun(driver)
    driver.do(ANN, actions.update_run, run.id, RunUpdate(note="first"))
    changed = driver.do(ANN, actions.update_run, run.id, RunUpdate(state=RunState.STOPPED))
    assert (changed.note, changed.state) == ("first", RunState.STOPPED)
    assert changed.updated_at > run.updated_at


def test_lists_go_through_every_run_once_newest_first(driver: ActionDriver) -> None:
    made = [begun(driver, name=f"r{n}", packages=[PIN] if n % 2 else []).id for n in range(5)]
    seen, cursor = [], None
    while True:
        page = driver.ask(None, actions.list_runs, cursor=cursor, limit=2)
        seen += [run.id for run in page.items]
        if (cursor := page.next) is None:
            break
    assert seen == made[::-1]
    used = driver.ask(None, actions.list_runs, RunFilter(package="alice/sums")).items
    assert [run.id for run in used] == [made[3], made[1]]
    assert driver.ask(None, actions.list_runs, RunFilter(owner="ben")).items == []
