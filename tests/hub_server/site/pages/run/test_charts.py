"""The charts of a run: which curves there are, in which style, and what is not drawn."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hub_server.site.pages.run.charts import (
    WEIGHTED,
    other_charts,
    reward_chart,
    reward_curves,
    reward_names,
    series,
    weighted_range,
)
from hub_server.site.pages.run.figures import figures_of
from schemas.manifest import RewardDeclaration
from schemas.metric_names import ENTROPY, held_out_metric, reward_metric
from schemas.run import MetricPoint, Run

NOW = datetime(2026, 11, 21, tzinfo=UTC)
REWARDS = {
    "correct": RewardDeclaration(),
    "style": RewardDeclaration(weight=0.5, range=(-1, 1)),
    "parses": RewardDeclaration(role="gate", threshold=1.0),
    "words": RewardDeclaration(role="metric", range=(0, 500)),
}


def run(**more: Any) -> Run:
    return Run.model_validate(
        {
            "id": "r", "name": "r", "owner": "alice", "kind": "training", "state": "running", "model": "m",
            "recipe": "grpo", "packages": [], "rewards": REWARDS, "config": {}, "summary": {},
            "created_at": NOW, "updated_at": NOW, **more,
        }
    )  # fmt: skip


def points(steps: int = 20, **names: str) -> list[MetricPoint]:
    return [MetricPoint(step=step, values=dict.fromkeys(names.values(), step / steps)) for step in range(1, steps + 1)]


def test_the_weighted_range_is_what_the_scores_can_add_up_to() -> None:
    assert weighted_range(REWARDS) == (-0.5, 1.5)
    assert weighted_range({}) == (0.0, 1.0)
    assert weighted_range({"parses": REWARDS["parses"]}) == (0.0, 1.0)
    assert weighted_range({"up": RewardDeclaration(range=(2, 3), threshold=2.5)}) == (
        0.0,
        3.0,
    )  # the rail always shows zero


def test_a_series_leaves_out_steps_without_a_value() -> None:
    mixed = [
        MetricPoint(step=1, values={"a": 1.0}),
        MetricPoint(step=2, values={"a": None}),
        MetricPoint(step=3, values={}),
    ]
    assert series(mixed, "a") == [(1.0, 1.0)]


def test_rewards_come_as_declared_and_unknown_ones_after_them() -> None:
    logged = points(a=reward_metric("zeta"), b=reward_metric("parses"), c=reward_metric("correct"), d="loss")
    assert reward_names(run(), logged) == ["correct", "parses", "zeta"]


def test_the_first_score_is_the_main_curve_and_a_metric_has_none() -> None:
    logged = points(
        a=reward_metric("correct"), b=reward_metric("style"), c=reward_metric("parses"), d=reward_metric("words"),
        e=held_out_metric("correct"),
    )  # fmt: skip
    curves = reward_curves(run(), logged, ["correct", "style", "parses", "words"])
    assert [(curve.label, curve.style) for curve in curves] == [
        ("correct", "series-main"), ("correct, held out", "held"), ("style", "series-other"), ("parses", "series-gate"),
    ]  # fmt: skip


def test_without_components_the_sum_is_drawn() -> None:
    (curve,) = reward_curves(run(rewards={}), points(a=WEIGHTED), [])
    assert (curve.label, curve.style) == ("reward", "series-main")
    assert reward_curves(run(rewards={}), [], []) == []


def test_the_chart_says_in_words_what_it_shows_and_has_a_table() -> None:
    curves = reward_curves(run(), points(a=reward_metric("correct")), ["correct"])
    chart = reward_chart(run(), curves, None)
    assert "correct goes from 0.050 to 1" in chart.drawing
    assert chart.names == ["correct"]
    assert [step for step, _ in chart.rows] == list(range(1, 21)), "so few steps can all be read"
    assert chart.steps == "1 20"
    assert chart.note == "the vector stays a vector"


@pytest.mark.parametrize(("steps", "is_drawn"), [(1, False), (40, True)])
def test_one_point_is_no_chart(steps: int, *, is_drawn: bool) -> None:
    titles = [chart.title for chart in other_charts(run(), points(steps, a="loss"), [])]
    assert ("Loss" in titles) is is_drawn


def test_a_law_that_explains_nothing_is_not_drawn_and_one_that_fits_is() -> None:
    def logged(reward: Any) -> list[MetricPoint]:
        return [
            MetricPoint(step=k, values={ENTROPY: 2 - k / 20, reward_metric("correct"): reward(k)}) for k in range(1, 31)
        ]

    fitting = other_charts(run(), logged(lambda k: 0.9 - 0.1 * 2.718281828 ** (2 - k / 20)), ["correct"])
    noise = other_charts(run(), logged(lambda k: float(k % 2)), ["correct"])
    assert any("against entropy" in chart.title for chart in fitting)
    assert not any("against entropy" in chart.title for chart in noise)


def test_where_no_reward_is_declared_nothing_is_called_the_most_there_is() -> None:
    logged = [
        MetricPoint(step=k, values={ENTROPY: 2 - k / 20, "reward": 4.9 - 2.718281828 ** (1 - k / 20)})
        for k in range(1, 31)
    ]
    (law,) = [
        one for one in other_charts(run().model_copy(update={"rewards": {}}), logged, []) if "entropy" in one.title
    ]
    assert "most there is" not in str(law.drawing)
    assert "ceiling" in str(law.drawing)
    (reward, *_) = figures_of(run().model_copy(update={"rewards": {}}), logged)
    assert ", of " not in reward.note
