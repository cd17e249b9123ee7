"""Reports a step's metrics and rollouts: to files, to the hub, and in the terminal.

Metrics have TRL's names. Times are in seconds, lengths in tokens.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import torch
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as RichBars
from torch import Tensor

from schemas.metric_names import (
    MEAN_LENGTH,
    REWARD,
    UNJUDGED,
    environment_metric,
    held_out_metric,
    reward_metric,
    rewarded_in,
)
from schemas.run import RolloutRow
from schemas.texts import prompt_text
from schemas.verdict import Verdict
from trainer_bridge.batch import Batch, group_count, group_std, is_constant
from trainer_bridge.learn.checkpoints import newest_checkpoint
from trainer_bridge.rewards import weighted_sum
from trainer_bridge.rollout.rollouts import Rollout

# Metrics


def step_metrics(batch: Batch, rollouts: Sequence[Rollout], names: Sequence[str]) -> dict[str, float]:
    """The metrics of a step before its updates. ``batch`` holds ``rollouts``; ``names`` are the environments."""
    of_batch = reward_metrics(batch) | completion_metrics(batch) | environment_metrics(batch, names)
    return of_batch | held_out_metrics(rollouts) | turn_metrics(rollouts)


def reward_metrics(batch: Batch) -> dict[str, float]:
    """Reward metrics over all samples of the step, also those of dropped groups, which are not trained on.

    ``reward`` is the declared weighted sum, ``reward_std`` its standard deviation over the batch, as in TRL;
    ``reward_group_std`` the mean of the groups' standard deviations; ``frac_reward_zero_std`` the share of groups whose
    sums are all equal; ``rewards/{name}/unjudged`` the share of an environment's samples that could not be judged.
    """
    total_B = weighted_sum(batch.rewards_BK, batch.space, batch.declared_BK)
    values = {
        REWARD: _mean(total_B),
        "reward_std": _std(total_B),
        "reward_group_std": _group_spread(total_B, batch.group_B),
        "frac_reward_zero_std": _constant_share(total_B, batch.group_B),
    }
    declared_BK = batch.declared_BK
    for column, name in enumerate(batch.space.names):
        rows_B = declared_BK[:, column]
        if not rows_B.any():  # no sample of this step is from an environment that declares this reward
            continue
        reward_B, group_B = batch.rewards_BK[rows_B, column], batch.group_B[rows_B]
        values[reward_metric(name)] = _mean(reward_B)
        values[reward_metric(name, "std")] = _std(reward_B)
        values[reward_metric(name, "frac_zero_std")] = _constant_share(reward_B, group_B)
        values[reward_metric(name, UNJUDGED)] = float(reward_B.isnan().double().mean())
    return values


def environment_metrics(batch: Batch, names: Sequence[str]) -> dict[str, float]:
    """Metrics ``environments/{package}/…``: the rewards of each environment. Empty if there is only one.

    If two environments declare the same reward, ``rewards/{name}/mean`` is the mean over both.
    """
    if len(names) < 2 or batch.environment_B is None:
        return {}
    values = {}
    for number, name in enumerate(names):
        rows = (batch.environment_B == number).nonzero()[:, 0]
        if not len(rows):
            continue
        own, declared_K = batch.select(rows), batch.declared_BK[rows[0]]
        total_B = weighted_sum(own.rewards_BK, own.space, own.declared_BK)
        values[environment_metric(name, REWARD)] = _mean(total_B)
        values[environment_metric(name, "frac_reward_zero_std")] = _constant_share(total_B, own.group_B)
        for column, reward in enumerate(own.space.names):
            if declared_K[column]:
                values[environment_metric(name, reward_metric(reward))] = _mean(own.rewards_BK[:, column])
    return values


def completion_metrics(batch: Batch) -> dict[str, float]:
    """Metrics ``completions/*``: lengths, and the share that was cut off at the limit."""
    length_B = batch.length_B.double()
    ended_B = length_B[~batch.truncated_B]
    values = {
        MEAN_LENGTH: float(length_B.mean()),
        "completions/min_length": float(length_B.min()),
        "completions/max_length": float(length_B.max()),
        "completions/clipped_ratio": float(batch.truncated_B.double().mean()),
        "num_completions": float(len(length_B)),
    }
    if len(ended_B):
        values["completions/mean_terminated_length"] = float(ended_B.mean())
        values["completions/min_terminated_length"] = float(ended_B.min())
        values["completions/max_terminated_length"] = float(ended_B.max())
    return values


def advantage_metrics(advantages_B: Tensor) -> dict[str, float]:
    """Metrics ``advantages/*`` over the rows that are trained on."""
    return {"advantages/min": float(advantages_B.min()), "advantages/max": float(advantages_B.max())}


def _mean(values_B: Tensor) -> float:
    judged = values_B[~values_B.isnan()]
    return float(judged.mean()) if len(judged) else float("nan")


def _std(values_B: Tensor) -> float:
    judged = values_B[~values_B.isnan()]
    return float(judged.std()) if len(judged) > 1 else 0.0


def _group_spread(values_B: Tensor, group_B: Tensor) -> float:
    """Mean over groups of the standard deviation within the group."""
    valid_B = ~values_B.isnan()
    several_G = _one_a_group(group_count(group_B, valid_B), group_B) > 1
    spread_G = _one_a_group(group_std(values_B.nan_to_num(0.0), group_B, valid_B), group_B)
    return float(spread_G[several_G].mean()) if several_G.any() else 0.0


def _constant_share(values_B: Tensor, group_B: Tensor) -> float:
    valid_B = ~values_B.isnan()
    constant_B = is_constant(values_B.nan_to_num(0.0), group_B, valid_B)
    return float(_one_a_group(constant_B, group_B).double().mean())


def _one_a_group(values_B: Tensor, group_B: Tensor) -> Tensor:
    """values_G: one value of each group, which all its rows share, so that each group counts once."""
    return torch.stack([values_B[group_B == group][0] for group in group_B.unique()])


def held_out_metrics(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Metrics ``held_out/{name}/mean`` over the samples that the held-out verifier judged. Empty without one.

    If ``rewards/{name}/mean`` rises and this does not, the policy probably learns to hack the verifier.
    """
    values: dict[str, list[float]] = {}
    for rollout in rollouts:
        if rollout.held_out is not None and rollout.held_out.error is None:
            for name, value in rollout.held_out.rewards.items():
                if value is not None:
                    values.setdefault(name, []).append(value)
    return {held_out_metric(name): sum(judged) / len(judged) for name, judged in values.items()}


def turn_metrics(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Metrics ``rollout/*``: mean numbers of model calls, tool calls, token sequences, turns with rewards, and tries
    that were lost; the share of rollouts that a limit ended.
    """
    count = max(len(rollouts), 1)
    return {
        "rollout/turns": sum(rollout.turns for rollout in rollouts) / count,
        "rollout/tool_calls": sum(rollout.tool_calls for rollout in rollouts) / count,
        "rollout/sequences": sum(len(rollout.sequences) for rollout in rollouts) / count,
        "rollout/judged_turns": sum(len({turn for turn, _ in one.turn_rewards}) for one in rollouts) / count,
        "rollout/ended_by_limit": sum(rollout.ended_by_limit for rollout in rollouts) / count,
        "rollout/lost_tries": sum(rollout.lost for rollout in rollouts) / count,
    }


def as_rows(rollouts: Sequence[Rollout], step: int, phase: str, advantages: Sequence[float] = ()) -> list[RolloutRow]:
    """Rollouts in the form that the hub stores."""
    return [
        RolloutRow(
            step=step,
            phase=phase,
            package=rollout.draw.package,
            task_id=rollout.draw.task.id,
            prompt=prompt_text(rollout.draw.task),
            response=rollout.text,
            rewards=rollout.verdict.rewards,
            held_out=rollout.held_out.rewards if rollout.held_out is not None else {},
            error=_shown_error(rollout.verdict),
            advantage=advantages[row] if advantages else None,
            tokens=rollout.tokens,
        )
        for row, rollout in enumerate(rollouts)
    ]


def _shown_error(verdict: Verdict) -> str:
    return f"{verdict.error.kind}: {verdict.error.message}" if verdict.error else ""


def stopped_note(output: Path) -> str:
    """The note on the hub's page of a run that its owner stopped. The terminal shows the whole command instead."""
    checkpoint = newest_checkpoint(output)
    if checkpoint is None:
        return "Stopped by its owner before the first checkpoint: the same command starts again from the beginning."
    return (
        f"Stopped by its owner. The newest checkpoint is {checkpoint.name}. To go on from it, give `verihub train` the "
        f"same options and --resume --output {output}"
    )


# The terminal


class NoProgress:
    """Shows nothing."""

    def say(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def sampled(self, done: int, total: int) -> None: ...
    def learning(self) -> None: ...
    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None: ...


class Terminal:
    """A line for each step, and a bar for what is being done. A context manager."""

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        # Rich's own column of elapsed time stops as soon as all is sampled, while the policy learns for seconds yet.
        columns = ("{task.description}", BarColumn(), "{task.fields[count]}", "[progress.elapsed]{task.elapsed:.0f} s")
        self._bars = RichBars(
            *(TextColumn(one) if isinstance(one, str) else one for one in columns), console=console, get_time=clock
        )
        self._bar = self._bars.add_task("", total=None, count="")
        self._begin("Starting")
        self._live = Live(self._bars, console=console, transient=True, refresh_per_second=4)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def say(self, text: str) -> None:
        self._begin(text)
        self._console.print(f"[dim]{escape(text)}[/dim]", highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        self._console.print("[yellow]Warning:[/yellow]", escape(text), highlight=False, soft_wrap=True)

    def sampled(self, done: int, total: int) -> None:
        self._bars.update(self._bar, completed=done, total=total, count=f"{done}/{total}")

    def learning(self) -> None:
        self._bars.update(self._bar, description=f"{escape(self._phase)}: learning")

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        means = [(rewarded_in(name), value) for name, value in metrics.items()]
        rewards = "  ".join(f"{name} {_shown(value)}" for name, value in means if name is not None)
        self._console.print(
            f"step {step:>{len(str(total))}}/{total}  reward [bold]{_shown(metrics[REWARD])}[/bold]  {rewards}  "
            f"length {metrics[MEAN_LENGTH]:.0f}  [dim]{metrics['step_time']:.1f} s[/dim]",
            highlight=False,
            soft_wrap=True,
        )
        self._begin(f"Step {step + 1} of {total}" if step < total else "Done")

    def _begin(self, phase: str) -> None:
        self._phase = phase
        self._bars.reset(self._bar, description=escape(phase), count="")
        self._bars.tasks[0].total = None  # which neither `reset` nor `update` does: None means unchanged to them


def _shown(value: float) -> str:
    return "not judged" if math.isnan(value) else f"{value:.3f}"
