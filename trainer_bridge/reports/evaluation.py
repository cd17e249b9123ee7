"""Evaluates the policy on held-out tasks, before and after: means with intervals, pass@k and avg@k."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from schemas.measures.intervals import mean_interval, paired_interval
from schemas.measures.pass_at_k import pass_at_k
from schemas.metric_names import REWARD, environment_metric, reward_metric
from schemas.run import RewardChange
from trainer_bridge.reports.step_report import held_out_metrics
from trainer_bridge.rewards import RewardSpace, is_accepted, rewards_matrix, weighted_sum
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import Draw, Rollout
from trainer_bridge.rollout.worker import RolloutWorker
from trainer_bridge.settings import TrainSettings

Floats = NDArray[np.float64]
Ranges = Mapping[str, tuple[float, float]]
"""Reward -> (smallest, largest) possible value."""

TOTAL = REWARD
"""The key of the weighted sum, beside the rewards' names."""


@dataclass(frozen=True)
class Mean:
    """A mean over ``count`` tasks with its 95 % interval. NaN if nothing was judged."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Evaluation:
    """The mean of each reward for each task (NaN = not judged), and the responses. Tasks are in a fixed order."""

    per_task: dict[str, Floats]
    ranges: Ranges
    accepted: dict[str, float]
    """``pass@k`` and ``avg@k``, where each task had several samples."""
    rollouts: tuple[Rollout, ...]

    def mean(self, name: str) -> Mean:
        """Mean over tasks of reward ``name`` with its 95 % interval; unjudged tasks are left out."""
        judged = _judged(self.per_task[name])
        if not judged:
            return Mean(np.nan, np.nan, np.nan, 0)
        found = mean_interval(judged, *self.ranges[name])
        return Mean(found.value, found.low, found.high, len(judged))

    def at_least(self, name: str) -> float:
        """The mean over all tasks of reward ``name``, the unjudged ones with the least that it can be. NaN if nothing
        was judged.

        This is for choosing a model: one of which a busy host judged only the easy tasks must not look better for it.
        """
        values = self.per_task[name]
        return float(np.nan_to_num(values, nan=self.ranges[name][0]).mean()) if _judged(values) else np.nan

    def change(self, after: "Evaluation", name: str) -> Mean:
        """The mean of after - before over tasks that were judged both times, with the interval of a paired
        difference.
        """
        judged = _judged(after.per_task[name] - self.per_task[name])
        if not judged:
            return Mean(np.nan, np.nan, np.nan, 0)
        low, high = self.ranges[name]
        found = paired_interval(judged, largest=high - low)
        return Mean(found.value, found.low, found.high, len(judged))

    def to_json(self) -> dict[str, Any]:
        """The numbers, without the responses, for a checkpoint."""
        return {
            name: [None if np.isnan(value) else float(value) for value in values]
            for name, values in self.per_task.items()
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], space: RewardSpace) -> "Evaluation":
        """Read :meth:`to_json`."""
        values = {name: np.array([np.nan if v is None else v for v in listed]) for name, listed in data.items()}
        return cls(values, ranges_of(space), {}, ())


@dataclass(frozen=True)
class Change:
    """One reward before and after, and the paired difference."""

    before: Mean
    after: Mean
    difference: Mean

    @property
    def is_outside_noise(self) -> bool:
        """Whether the interval of the paired difference does not contain 0."""
        return self.difference.low > 0 or self.difference.high < 0

    def as_schema(self) -> RewardChange:
        """The evaluation as the run page shows it."""
        return RewardChange(
            before=self.before.value,
            before_low=self.before.low,
            before_high=self.before.high,
            after=self.after.value,
            after_low=self.after.low,
            after_high=self.after.high,
            tasks=self.difference.count,
        )


def evaluate(worker: RolloutWorker, draws: Sequence[Draw], space: RewardSpace, settings: TrainSettings) -> Evaluation:
    """Answer every held-out task: greedily once, or ``num_generations_eval`` samples at the training temperature."""
    copies = settings.num_generations_eval
    sampling = Sampling(settings.temperature if copies > 1 else 0.0, settings.top_p, settings.top_k)
    worker.engine.load_weights()
    rollouts, _ = worker.collect(draws, copies, settings.max_completion_length, sampling)
    rewards_BK = rewards_matrix([rollout.verdict for rollout in rollouts], space)
    columns = {name: rewards_BK[:, index].numpy() for index, name in enumerate(space.names)}
    declared_BK = space.declared_by(torch.tensor([rollout.draw.environment for rollout in rollouts]))
    columns.setdefault(TOTAL, weighted_sum(rewards_BK, space, declared_BK).numpy())
    per_task = {name: _task_means(values.reshape(len(draws), copies)) for name, values in columns.items()}
    return Evaluation(per_task, ranges_of(space), accepted_shares(rollouts, space, copies), tuple(rollouts))


def evaluation_metrics(found: Evaluation, space: RewardSpace, settings: TrainSettings) -> dict[str, float]:
    """Metrics ``eval_…``: each reward's mean, also by the held-out verifier, pass@k and avg@k, and the same by
    environment.
    """
    means = {TOTAL if name == TOTAL else reward_metric(name): found.mean(name).value for name in found.per_task}
    figures = means | held_out_metrics(found.rollouts) | found.accepted | by_environment(found, space, settings)
    return {f"eval_{name}": value for name, value in figures.items()}


def by_environment(found: Evaluation, space: RewardSpace, settings: TrainSettings) -> dict[str, float]:
    """Metrics ``environments/{package}/…`` for several environments: the weighted sum, pass@k and avg@k."""
    rows = {package: [one for one in found.rollouts if one.draw.package == package]
            for package in dict.fromkeys(one.draw.package for one in found.rollouts)}  # fmt: skip
    if len(rows) < 2:
        return {}
    figures = {}
    for package, own in rows.items():
        declared_BK = space.declared_by(torch.tensor([one.draw.environment for one in own]))
        total_B = weighted_sum(rewards_matrix([one.verdict for one in own], space), space, declared_BK)
        figures[environment_metric(package, REWARD)] = float(total_B.nanmean())
        for name, share in accepted_shares(own, space, settings.num_generations_eval).items():
            figures[environment_metric(package, name)] = share
    return figures


def changes(before: Evaluation, after: Evaluation) -> dict[str, Change]:
    """The change of every reward. Rewards that were never judged are left out."""
    found = {}
    for name in before.per_task:
        change = Change(before.mean(name), after.mean(name), before.change(after, name))
        if change.difference.count:
            found[name] = change
    return found


def ranges_of(space: RewardSpace) -> Ranges:
    """The declared range of every reward, and the range of the weighted sum."""
    return {TOTAL: space.total_range()} | {name: reward.range for name, reward in space.declarations.items()}


def _judged(values: Floats) -> list[float]:
    return [float(value) for value in values if not np.isnan(value)]


def _task_means(values: Floats) -> Floats:
    """Mean over each task's judged samples, NaN if none was."""
    judged = ~np.isnan(values)
    counts = judged.sum(axis=1)
    sums = np.where(judged, values, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def accepted_shares(rollouts: Sequence[Rollout], space: RewardSpace, copies: int) -> dict[str, float]:
    """``avg@k`` for ``copies`` samples of each task, and ``pass@k`` for k = 1, 2, 4 … up to that. Empty for one sample.

    A sample passes if every score reaches its threshold. avg@k is the share of a task's judged samples that pass,
    averaged over tasks. pass@k is the probability that at least one of k samples passes, averaged over the tasks with
    at least k judged samples.
    """
    if copies == 1:
        return {}
    passed: dict[int, list[bool]] = defaultdict(list)
    for rollout in rollouts:
        accepted = is_accepted(rollout.verdict, space)
        if accepted is not None:
            passed[rollout.group].append(accepted)
    ks = [1 << power for power in range(copies.bit_length()) if 1 << power <= copies]
    found = {}
    if passed:
        found[f"avg@{copies}"] = sum(sum(flags) / len(flags) for flags in passed.values()) / len(passed)
    for k in ks:
        usable = [(len(flags), sum(flags)) for flags in passed.values() if len(flags) >= k]
        if usable:
            found[f"pass@{k}"] = sum(pass_at_k(samples, right, k) for samples, right in usable) / len(usable)
    return found
