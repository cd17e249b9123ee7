"""Metrics: a retry, an odd number or a long run does no harm."""

import itertools
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.database.base import UtcDateTime
from hub_server.errors import InvalidRequestError
from hub_server.runs import actions
from hub_server.runs.rules.reports import MAX_METRICS_A_POINT, MAX_POINTS, MAX_ROLLOUTS, check_moment
from schemas.run import MetricPoint
from tests.hub_server.runs.actions.reports import ANN, begun, point, rollout
from tests.making.action_driver import ActionDriver


def test_a_step_that_is_sent_again_replaces_the_old_one_also_within_one_batch(driver: ActionDriver) -> None:
    run = begun(driver)
    driver.do(ANN, actions.log_metrics, run.id, [point(1, reward=0.1), point(2, reward=0.2), point(1, reward=0.3)])
    driver.do(ANN, actions.log_metrics, run.id, [point(2, reward=0.4)])
    found = driver.ask(None, actions.get_metrics, run.id).items
    assert [(one.step, one.values["reward"]) for one in found] == [(1, 0.3), (2, 0.4)]


@pytest.mark.parametrize("step", [-1, 2**31, 10**30])
def test_a_step_that_no_run_reaches_is_refused_wherever_it_is_sent(driver: ActionDriver, step: int) -> None:
    run = begun(driver)
    with pytest.raises(InvalidRequestError):
        driver.do(ANN, actions.log_rollouts, run.id, [rollout(step)])
    with pytest.raises(InvalidRequestError):
        driver.ask(None, actions.list_rollouts, run.id, step=step)
    if step >= 0:
        with pytest.raises(InvalidRequestError):
            driver.do(ANN, actions.log_metrics, run.id, [point(step)])


def test_batches_are_taken_up_to_their_limit(driver: ActionDriver) -> None:
    run = begun(driver)
    driver.do(ANN, actions.log_metrics, run.id, [point(1, **{f"m{n}": 0.0 for n in range(MAX_METRICS_A_POINT)})])
    too_many = (
        (actions.log_metrics, [point(n) for n in range(MAX_POINTS + 1)]),
        (actions.log_metrics, [point(1, **{f"m{n}": 0.0 for n in range(MAX_METRICS_A_POINT + 1)})]),
        (actions.log_rollouts, [rollout()] * (MAX_ROLLOUTS + 1)),
    )
    for act, batch in too_many:
        with pytest.raises(InvalidRequestError, match="the limit is"):
            driver.do(ANN, act, run.id, batch)


def test_a_time_without_a_zone_is_refused_with_what_to_send(driver: ActionDriver) -> None:
    """``datetime.now().isoformat()``, the first thing that a stranger's trainer sends, was a fault of the hub."""
    run = begun(driver)
    naive = MetricPoint(step=1, at=datetime(2026, 1, 1), values={"reward": 1})  # noqa: DTZ001 -- on purpose
    with pytest.raises(InvalidRequestError, match="2026-01-01T00:00:00Z"):
        driver.do(ANN, actions.log_metrics, run.id, [naive])


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])))
def test_every_moment_is_either_stored_in_utc_or_refused(moment: datetime) -> None:
    try:
        found = check_moment(moment)
    except InvalidRequestError:
        assert moment.year in (1, 9999)
        return
    assert found == moment
    assert UtcDateTime().process_bind_param(found, _Dialect()) is not None


class _Dialect:
    name = "sqlite"


def test_a_long_run_is_thinned_evenly_and_its_last_point_is_there(
    driver: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub_server.runs.actions.metrics.MOST_POINTS_READ", 100)
    run = begun(driver)
    for first in range(0, 1001, 500):
        driver.do(ANN, actions.log_metrics, run.id, [point(step) for step in range(first, min(first + 500, 1001))])
    steps = [one.step for one in driver.ask(None, actions.get_metrics, run.id).items]
    assert len(steps) <= 100
    assert steps[-1] == 1000
    assert {after - before for before, after in itertools.pairwise(steps)} == {11}


def test_the_last_reward_is_that_of_the_newest_step_that_has_one(driver: ActionDriver) -> None:
    run = begun(driver)

    def sent(*points: MetricPoint) -> float | None:
        driver.do(ANN, actions.log_metrics, run.id, list(points))
        return driver.ask(None, actions.get_run, run.id).last_reward

    assert sent(point(1, loss=3.0)) is None
    assert sent(point(3, reward=0.3), point(2, reward=0.2), point(4, loss=1.0)) == 0.3
    assert sent(point(2, reward=0.9)) == 0.3, "an older step that comes late"
    assert sent(point(3, reward=0.4)) == 0.4, "a step that is sent again"
    assert sent(point(5, reward=None)) == 0.4, "not judged is no number"
