"""The policy on held-out tasks: each reward's mean with its interval, pass@k, before and after."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from schemas.run import RewardChange
from trainer_bridge.components.metrics.pass_at_k import pass_at_k
from trainer_bridge.decoding.sampling import Sampling
from trainer_bridge.intervals import Floats, Mean, is_outside_noise, mean_interval, paired_change
from trainer_bridge.rewards import RewardSpace, is_accepted, rewards_matrix, weighted_sum
from trainer_bridge.rollouts import Rollout, RolloutWorker
from trainer_bridge.settings import TrainSettings
from trainer_bridge.stream import Draw

TOTAL = "reward"
"""The weighted sum of the scores, beside the rewards by name."""


@dataclass(frozen=True)
class Evaluation:
    """Per-task means of each reward (NaN = not judged), and what the model said. Tasks in a fixed order."""

    per_task: dict[str, Floats]
    pass_at: dict[int, float]
    rollouts: tuple[Rollout, ...]

    def mean(self, name: str) -> Mean:
        """Mean over tasks of reward ``name`` with its 95 % interval."""
        return mean_interval(self.per_task[name])

    def to_json(self) -> dict[str, Any]:
        """For a checkpoint: the figures without the texts."""
        return {
            name: [None if np.isnan(value) else float(value) for value in values]
            for name, values in self.per_task.items()
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Evaluation":
        """Read :meth:`to_json`."""
        values = {name: np.array([np.nan if v is None else v for v in listed]) for name, listed in data.items()}
        return cls(values, {}, ())


@dataclass(frozen=True)
class Change:
    """One reward before and after, and the paired difference."""

    before: Mean
    after: Mean
    difference: Mean

    @property
    def is_outside_noise(self) -> bool:
        """Whether the paired difference's interval leaves out 0."""
        return is_outside_noise(self.difference)

    def as_schema(self) -> RewardChange:
        """As the run page shows it."""
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
    rollouts, _ = worker.collect(draws, copies, settings.max_completion_length, sampling)
    rewards_BK = rewards_matrix([rollout.verdict for rollout in rollouts], space)
    columns = {name: rewards_BK[:, index].numpy() for index, name in enumerate(space.names)}
    columns.setdefault(TOTAL, weighted_sum(rewards_BK, space).numpy())
    per_task = {name: _task_means(values.reshape(len(draws), copies)) for name, values in columns.items()}
    return Evaluation(per_task, _pass_at(rollouts, space, copies), tuple(rollouts))


def changes(before: Evaluation, after: Evaluation) -> dict[str, Change]:
    """Every reward's change; those that were never judged are left out."""
    found = {}
    for name, values in before.per_task.items():
        change = Change(before.mean(name), after.mean(name), paired_change(values, after.per_task[name]))
        if change.difference.count:
            found[name] = change
    return found


def _task_means(values: Floats) -> Floats:
    """Mean over each task's judged samples, NaN where none was."""
    judged = ~np.isnan(values)
    counts = judged.sum(axis=1)
    sums = np.where(judged, values, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _pass_at(rollouts: Sequence[Rollout], space: RewardSpace, copies: int) -> dict[int, float]:
    """pass@k for k = 1, 2, 4 … up to the samples a task: a sample passes when every score reaches its threshold."""
    if copies == 1:
        return {}
    passed: dict[int, list[bool]] = defaultdict(list)
    for rollout in rollouts:
        accepted = is_accepted(rollout.verdict, space)
        if accepted is not None:
            passed[rollout.group].append(accepted)
    ks = [1 << power for power in range(copies.bit_length()) if 1 << power <= copies]
    found = {}
    for k in ks:
        usable = [(len(flags), sum(flags)) for flags in passed.values() if len(flags) >= k]
        if usable:
            found[k] = sum(pass_at_k(samples, right, k) for samples, right in usable) / len(usable)
    return found
