"""Names of those metrics of a training run that one process writes and another reads. All others are TRL's own."""

REWARD = "reward"
"""The weighted sum of the scores."""
ENTROPY = "entropy"
MEAN_LENGTH = "completions/mean_length"
UNJUDGED = "unjudged"
"""Suffix of the metric for the share of a step's samples that could not be judged."""

_REWARDS, _HELD_OUT, _MEAN = "rewards/", "held_out/", "/mean"


def reward_metric(reward: str, statistic: str = "mean") -> str:
    """``rewards/{reward}/{statistic}``: one reward over a step's samples."""
    return f"{_REWARDS}{reward}/{statistic}"


def held_out_metric(reward: str) -> str:
    """``held_out/{reward}/mean``: the held-out verifier's mean over the same samples."""
    return f"{_HELD_OUT}{reward}{_MEAN}"


def environment_metric(package: str, metric: str) -> str:
    """``environments/{package}/{metric}``: a metric over one environment's samples, in a run on several."""
    return f"environments/{package}/{metric}"


def rewarded_in(metric: str, statistic: str = "mean") -> str | None:
    """The reward whose ``statistic`` this metric is, or None."""
    end = f"/{statistic}"
    if not (metric.startswith(_REWARDS) and metric.endswith(end)):
        return None
    return metric[len(_REWARDS) : -len(end)] or None
