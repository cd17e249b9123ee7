"""Whose runs are, and what is no run."""

import pytest

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.runs import actions
from hub_server.runs.errors import RunNotFoundError
from schemas.account import Scope
from schemas.run import RunUpdate
from tests.hub_server.runs.actions.reports import ANN, BEN, begun, point, rollout
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller, person

ACTS = (
    (actions.update_run, (RunUpdate(note="x"),)),
    (actions.log_metrics, ([point(1)],)),
    (actions.log_rollouts, ([rollout()],)),
)


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (BEN, NotAllowedError),
        (person("moda", is_moderator=True), NotAllowedError),
        (caller("ann", scopes=EVERY_SCOPE - {Scope.RUNS}), NotAllowedError),
        (caller("ann", scopes=frozenset({Scope.RUNS})), None),
        (caller("ben", organizations=frozenset({"ann"})), None),
    ],
    ids=["nobody", "another", "moderator", "narrow token", "token for runs", "member of the owner"],
)
def test_only_the_owner_reports_to_a_run(driver: ActionDriver, by, error) -> None:
    run = begun(driver)
    for act, rest in ACTS:
        if error is None:
            driver.do(by, act, run.id, *rest)
        else:
            with pytest.raises(error):
                driver.do(by, act, run.id, *rest)
    assert len(driver.rows("SELECT id FROM rollouts")) == (error is None)


@pytest.mark.parametrize(
    "act",
    [
        lambda d, i: d.ask(None, actions.get_run, i),
        lambda d, i: d.ask(None, actions.get_metrics, i),
        lambda d, i: d.ask(None, actions.list_rollouts, i),
        lambda d, i: d.do(ANN, actions.update_run, i, RunUpdate(note="x")),
        lambda d, i: d.do(ANN, actions.log_metrics, i, [point(1)]),
    ],
)
def test_what_is_no_run_is_not_found(driver: ActionDriver, act) -> None:
    for identifier in ("", "nonsense", "\x00", "x" * 5000):
        with pytest.raises(RunNotFoundError):
            act(driver, identifier)


def test_the_last_step_is_the_highest_that_came_whatever_the_order(driver: ActionDriver) -> None:
    run = begun(driver)

    def last() -> int | None:
        return driver.ask(None, actions.get_run, run.id).last_step

    driver.do(ANN, actions.log_metrics, run.id, [])
    assert last() is None, "a run that has sent nothing has no step 0"
    driver.do(ANN, actions.log_metrics, run.id, [point(0)])
    assert last() == 0
    driver.do(ANN, actions.log_rollouts, run.id, [rollout(7), rollout(3)])
    assert last() == 7
    driver.do(ANN, actions.log_metrics, run.id, [point(5)])
    driver.do(ANN, actions.log_rollouts, run.id, [])
    assert last() == 7
