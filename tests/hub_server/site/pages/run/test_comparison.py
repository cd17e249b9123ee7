"""Several runs side by side: shared axes, and a difference only where its interval means something."""

from typing import Any

import pytest

from hub_server.site.pages.run.comparison import compare_runs
from schemas.metric_names import reward_metric
from schemas.run import MetricPoint, PinnedPackage, RewardChange, Run, RunOutcome
from tests.hub_server.site.pages.run.test_charts import run

PIN = PinnedPackage(package="alice/sums", version="1.0.0", digest="sha256:" + "0" * 64)
CHANGE = RewardChange(before=0.2, before_low=0.1, before_high=0.3, after=0.5, after_low=0.4, after_high=0.6, tasks=50)
BETTER = CHANGE.model_copy(update={"after": 0.9, "after_low": 0.85, "after_high": 0.93})


def points(values: list[float], key: str = "reward") -> list[MetricPoint]:
    return [MetricPoint(step=step, values={key: value}) for step, value in enumerate(values)]


def outcome(rate: float, **more: Any) -> RunOutcome:
    given = {"environment": "alice/sums", "version": "1.0.0", "harness": "h", "task_count": 100, "attempts": 100,
             "successes": round(100 * rate), "pass_rate": rate, "tries": 100.0}  # fmt: skip
    return RunOutcome(**{**given, **more})


def test_charts_hold_every_run_that_logged_the_metric_on_one_axis() -> None:
    one, two = points([0.1 * step for step in range(10)]), points([0.05 * step for step in range(20)])
    view = compare_runs([run(), run()], [one, two])
    (chart,) = view.charts
    assert (chart.title, chart.names) == ("Reward, weighted", ["A", "B"])
    assert chart.steps == "0 19", "the axis is that of the longer run"
    assert chart.drawing.count("<path") == 2
    assert [values for step, values in chart.rows if step == 9.0] == [[pytest.approx(0.9), pytest.approx(0.45)]]
    assert [values for step, values in chart.rows if step == 19.0] == [[None, pytest.approx(0.95)]]


def test_a_metric_of_one_run_alone_is_not_drawn() -> None:
    view = compare_runs([run(), run()], [points([1.0] * 9, reward_metric("correct")), points([1.0] * 9)])
    assert view.charts == []


def test_rewards_after_training_differ_with_an_interval_where_the_packages_are_the_same() -> None:
    runs = [run(packages=[PIN], summary={"reward": CHANGE}), run(packages=[PIN], summary={"reward": BETTER})]
    (row,) = compare_runs(runs, [[], []]).rows
    assert row.sides[0].difference is None
    found = row.sides[1].difference
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert 0.25 < found.low < 0.35, "hypot(0.05, 0.1) below"
    assert 0.45 < found.high < 0.55


@pytest.mark.parametrize("other", [[], [PIN.model_copy(update={"digest": "sha256:" + "1" * 64})]])
def test_on_other_packages_no_difference_is_given_and_why(other: list[PinnedPackage]) -> None:
    runs = [run(packages=[PIN], summary={"reward": CHANGE}), run(packages=other, summary={"reward": BETTER})]
    (row,) = compare_runs(runs, [[], []]).rows
    assert row.sides[1].difference is None
    assert "other packages" in row.why_not


def test_pass_rates_are_compared_on_the_same_release_and_harness_alone() -> None:
    def of(*outcomes: RunOutcome) -> Run:
        return run(kind="evaluation", outcomes=list(outcomes))

    runs = [of(outcome(0.5), outcome(0.1, harness="g")), of(outcome(0.7), outcome(0.9, version="1.1.0"))]
    (row,) = compare_runs(runs, [[], []]).rows
    assert "1.0.0, h" in row.name
    found = row.sides[1].difference
    assert found is not None
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.065, abs=0.01), "Newcombe's method 10 for 50 and 70 of 100"
    assert found.high == pytest.approx(0.327, abs=0.01)
