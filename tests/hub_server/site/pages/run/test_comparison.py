"""Several runs side by side: shared axes, and a difference only where its interval means something."""

from typing import Any

import pytest

from hub_server.site.pages.run.charts import MOST_REWARDS, reward_names
from hub_server.site.pages.run.comparison import compare_runs
from schemas.metric_names import reward_metric
from schemas.run import MetricPoint
from tests.hub_server.site.pages.run.test_charts import run


def points(values: list[float], key: str = "reward") -> list[MetricPoint]:
    return [MetricPoint(step=step, values={key: value}) for step, value in enumerate(values)]


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


def test_a_run_whose_every_step_names_other_rewards_costs_a_page_no_more_than_others() -> None:
    """Each name was looked for in each step: 200 steps took 11 s of CPU, and 2,000 steps with 500 names hours."""
    asked = 0

    class Values(dict[str, float | None]):
        def get(self, key: str, default: Any = None) -> Any:
            nonlocal asked
            asked += 1
            return super().get(key, default)

    many = [
        MetricPoint.model_construct(step=step, values=Values({reward_metric(f"r{step}x{n}"): 0.5 for n in range(100)}))
        for step in range(100)
    ]
    view = compare_runs([run(), run()], [many, many])
    assert len(view.charts) == MOST_REWARDS
    assert len(reward_names(run(), many)) == MOST_REWARDS
    assert asked <= 2 * len(many) * (2 * MOST_REWARDS + 10)
