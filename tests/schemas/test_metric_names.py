"""A metric's name is read as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.metric_names import held_out_metric, reward_metric, rewarded_in
from schemas.names import REWARD_NAME_PATTERN


@given(st.from_regex(REWARD_NAME_PATTERN, fullmatch=True))
def test_names_are_read_as_they_were_written(reward):
    assert rewarded_in(reward_metric(reward)) == reward
    assert rewarded_in(held_out_metric(reward)) is None
    assert rewarded_in(reward_metric(reward, "unjudged")) is None


@pytest.mark.parametrize(
    "metric", ["", "reward", "rewards/", "/mean", "rewards/mean", "rewards//mean", "eval_rewards/a/mean"]
)
def test_other_metrics_are_of_no_reward(metric):
    assert rewarded_in(metric) is None
