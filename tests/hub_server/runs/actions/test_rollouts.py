"""Rollouts: filtered, counted, and none is left out."""

import pytest

from hub_server.runs import actions, queries
from hub_server.runs.errors import RunNotFoundError
from tests.hub_server.runs.actions.reports import ANN, begun, rollout
from tests.making.action_driver import ActionDriver


def test_rollouts_are_filtered_counted_and_numbered(driver: ActionDriver) -> None:
    run, other = begun(driver), begun(driver)
    rows = [rollout(1), rollout(2, phase="eval_after"), rollout(2)]
    driver.do(ANN, actions.log_rollouts, run.id, rows)
    driver.do(ANN, actions.log_rollouts, other.id, [rollout(9)])
    page = driver.ask(None, actions.list_rollouts, run.id, step=2, limit=1)
    assert page.facets == {"phase": {"eval_after": 1, "train": 2}, "step": {"1": 1, "2": 2}}
    rest = driver.ask(None, actions.list_rollouts, run.id, step=2, cursor=page.next)
    assert [(one.step, one.phase) for one in [*page.items, *rest.items]] == [(2, "eval_after"), (2, "train")]
    number = page.items[0].id
    assert number is not None
    assert driver.ask(None, actions.get_rollout, run.id, number) == page.items[0]
    for run_id, wanted in ((other.id, number), (run.id, -1), (run.id, 10**30), (run.id, 0)):
        with pytest.raises(RunNotFoundError):
            driver.ask(None, actions.get_rollout, run_id, wanted)


def test_a_clients_own_number_of_a_rollout_is_ignored(driver: ActionDriver) -> None:
    run = begun(driver)
    for _ in range(2):
        driver.do(ANN, actions.log_rollouts, run.id, [rollout(id=1)])
    assert len({row[0] for row in driver.rows("SELECT id FROM rollouts")}) == 2


@pytest.mark.parametrize("is_newest_first", [False, True])
def test_a_page_of_long_rollouts_ends_early_and_none_is_left_out(
    driver: ActionDriver, monkeypatch: pytest.MonkeyPatch, is_newest_first: bool
) -> None:
    monkeypatch.setattr(queries, "MOST_LETTERS", 250)
    run = begun(driver)
    driver.do(ANN, actions.log_rollouts, run.id, [rollout(response=f"{number}" * 100) for number in range(7)])
    seen: list[str] = []
    cursor, pages = None, 0
    while True:
        page = driver.ask(None, actions.list_rollouts, run.id, cursor=cursor, limit=5, is_newest_first=is_newest_first)
        assert 1 <= len(page.items) <= 3
        seen += [row.response[0] for row in page.items]
        cursor, pages = page.next, pages + 1
        if cursor is None:
            break
    assert seen == list("6543210" if is_newest_first else "0123456")
    assert pages > 2
