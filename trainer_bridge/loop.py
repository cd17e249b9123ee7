"""The whole GRPO loop, from tasks to weights, top to bottom.

Left out on purpose: several turns, several machines, an asynchronous sampler and a critic. What a method does to
rewards, advantages and losses is not here either: it is the recipe's, one small component a file.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from schemas.run import RewardChange, RunState
from trainer_bridge.advantages import keep_groups, row_advantages, trained_mask
from trainer_bridge.assembly import Parts, open_parts
from trainer_bridge.decoding.sampling import Sampling
from trainer_bridge.devices import pick_threads
from trainer_bridge.errors import NoSignalError, ScoringError
from trainer_bridge.evaluation import TOTAL, Change, Evaluation, changes, evaluate
from trainer_bridge.hub_recipes import open_recipe
from trainer_bridge.metrics import advantage_metrics, completion_metrics, reward_metrics
from trainer_bridge.models.saving import save_model
from trainer_bridge.progress import Progress, Silent
from trainer_bridge.rollouts import Rollout, as_batch, as_rows, as_samples, pass_rates, why_unjudged
from trainer_bridge.settings import TrainSettings
from trainer_bridge.sft import warm_up
from trainer_bridge.stream import Hub
from trainer_bridge.watching import held_out_metrics

_PATIENCE_STEPS = 5


@dataclass(frozen=True)
class TrainResult:
    """What came of a run. ``rewards`` holds each reward before and after on held-out tasks."""

    run_id: str
    steps: int
    seconds: float
    rewards: dict[str, Change]
    model_folder: Path

    @property
    def summary(self) -> dict[str, RewardChange]:
        """The changes as the hub keeps them."""
        return {name: change.as_schema() for name, change in self.rewards.items()}


def train(settings: TrainSettings, *, hub: Hub, progress: Progress | None = None, report: bool = True) -> TrainResult:
    """Train as ``settings`` say, and report to ``hub`` as a run unless ``report`` is false.

    Raises:
        TrainerBridgeError: see ``errors.py``. The run is then marked as failed on the hub.

    """
    started = time.perf_counter()
    recipe = open_recipe(settings.recipe, settings.recipe_overrides, hub)
    with open_parts(settings, recipe, hub, progress or Silent(), report=report) as parts:
        parts.reporter.create(parts.run_to_create())
        try:
            rewards = _run(parts)
            folder = save_model(parts.loaded, settings.output / "model")
        except BaseException as error:
            # Ctrl-C as well: a run must not look alive on the hub when nobody trains it any more.
            patience = 3.0 if isinstance(error, KeyboardInterrupt) else 20.0
            parts.reporter.finish(RunState.FAILED, note=f"{type(error).__name__}: {error}"[:500], seconds=patience)
            raise
        result = TrainResult(parts.reporter.run_id, parts.state.step, 0.0, rewards, folder)
        parts.reporter.finish(RunState.FINISHED, result.summary)
        return replace(result, run_id=parts.reporter.run_id, seconds=time.perf_counter() - started)


def _run(parts: Parts) -> dict[str, Change]:
    """Evaluate, train, evaluate."""
    settings = parts.settings
    if parts.before is None and parts.held_out:
        parts.before = _evaluate(parts, "eval_before")
    warm_up(parts)
    parts.progress.say(
        f"Training: {settings.steps} steps of {settings.prompts_per_step} x {settings.num_generations} samples"
    )
    while parts.state.step < settings.steps:
        _step(parts)
        due = settings.save_steps and parts.state.step % settings.save_steps == 0
        if due and parts.state.step < settings.steps:
            parts.save()
    if not parts.before:
        return {}
    return changes(parts.before, _evaluate(parts, "eval_after"))


def _step(parts: Parts) -> None:
    """One step: sample groups, learn from them, tell everybody."""
    started = time.perf_counter()
    threads = pick_threads(parts.threads)
    kept, seen, metrics = _sample(parts)
    metrics["perf/threads"] = float(threads)
    everything = as_batch(seen, parts.space, parts.learner.device)
    metrics |= reward_metrics(everything) | completion_metrics(everything) | held_out_metrics(seen)
    metrics["num_tokens"] = float(everything.length_B.sum()) + parts.state.memory.get("num_tokens", 0.0)
    parts.state.memory["num_tokens"] = metrics["num_tokens"]
    advantages = _learn(parts, kept, metrics) if kept else []
    _watch_for_signal(parts, has_signal=bool(kept))
    parts.state.step += 1
    if "entropy" in metrics:
        for controller in parts.recipe.controllers:
            controller(parts.state, metrics)
    metrics["step_time"] = time.perf_counter() - started
    metrics["perf/gen_tokens_per_s"] = float(everything.length_B.sum()) / max(metrics["time/generate"], 1e-9)
    parts.reporter.log(parts.state.step, metrics)
    parts.last_metrics = metrics
    rows = as_rows(kept or seen, parts.state.step, "train", advantages)
    count = parts.settings.rollouts_per_step
    parts.reporter.rollouts(rows[:: max(1, len(rows) // max(count, 1))][:count])
    parts.progress.step(parts.state.step, parts.settings.steps, metrics)


def _sample(parts: Parts) -> tuple[list[Rollout], list[Rollout], dict[str, float]]:
    """(groups to learn from, everything sampled, metrics). Dropped groups are sampled again, up to the cap."""
    settings, recipe = parts.settings, parts.recipe
    sampling = Sampling(settings.temperature, settings.top_p, settings.top_k)
    kept: list[Rollout] = []
    seen: list[Rollout] = []
    generate = wait = 0.0
    rounds = drawn = 0
    missing = settings.prompts_per_step
    while missing and rounds < (settings.max_generation_batches if recipe.refills else 1):
        draws = parts.stream.draw(missing)
        rollouts, timing = parts.worker.collect(
            draws, settings.num_generations, settings.max_completion_length, sampling, first_group=drawn
        )
        batch = as_batch(rollouts, parts.space, parts.learner.device)
        if batch.rewards_BK.isnan().all():
            raise ScoringError(why_unjudged(rollouts))
        keep_B = keep_groups(recipe, batch).tolist()
        kept += [rollout for rollout, keep in zip(rollouts, keep_B, strict=True) if keep]
        seen += rollouts
        parts.stream.record(pass_rates(rollouts, parts.space))
        generate, wait = generate + timing.generate, wait + timing.wait
        rounds, drawn = rounds + 1, drawn + len(draws)
        missing = settings.prompts_per_step - len({rollout.group for rollout in kept})
    dropped = drawn - len({rollout.group for rollout in kept})
    return (
        kept,
        seen,
        {
            "time/generate": generate,
            "time/reward": wait,
            "sampling/generation_batches": float(rounds),
            "sampling/groups_dropped": float(dropped),
        },
    )


def _learn(parts: Parts, kept: Sequence[Rollout], metrics: dict[str, float]) -> list[float]:
    """Advantages and updates. Adds to ``metrics``; returns the advantages, row by row."""
    batch = as_batch(kept, parts.space, parts.learner.device)
    advantages_B, utility_B = row_advantages(parts.recipe, batch)
    batch = replace(batch, mask_BT=trained_mask(parts.recipe, batch, utility_B))
    metrics |= advantage_metrics(advantages_B)
    metrics |= parts.learner.update(batch, as_samples(kept), advantages_B, utility_B, parts.state)
    seconds = metrics["time/backward"] + metrics["time/logprob"] + metrics["time/optim"]
    metrics["perf/train_tokens_per_s"] = float(batch.length_B.sum()) / max(seconds, 1e-9)
    values: list[float] = advantages_B.tolist()
    return values


def _evaluate(parts: Parts, phase: str) -> Evaluation:
    """Answer the held-out tasks and report every answer."""
    pick_threads(parts.threads)
    parts.progress.say(f"Evaluating on {len(parts.held_out)} held-out tasks ({phase.removeprefix('eval_')} training)")
    result = evaluate(parts.worker, parts.held_out, parts.space, parts.settings)
    parts.reporter.rollouts(as_rows(result.rollouts, parts.state.step, phase))
    figures = {
        "eval_reward" if name == TOTAL else f"eval_rewards/{name}/mean": result.mean(name).value
        for name in result.per_task
    }
    figures |= {f"eval_{name}": value for name, value in held_out_metrics(result.rollouts).items()}
    figures |= {f"eval_pass@{k}": share for k, share in result.pass_at.items()}
    parts.reporter.log(parts.state.step, parts.last_metrics | figures)  # a step sent again replaces itself
    return result


def _watch_for_signal(parts: Parts, *, has_signal: bool) -> None:
    """Give up when no group ever differed: the model never, or always, earns this reward."""
    memory = parts.state.memory
    memory["signals"] = memory.get("signals", 0) + has_signal
    if memory["signals"] == 0 and parts.state.step + 1 >= _PATIENCE_STEPS:
        raise NoSignalError(
            f"in {_PATIENCE_STEPS} steps the samples of every prompt earned the same reward, so nothing can be learnt: "
            "the tasks are too hard or too easy for this model (try others, more samples a prompt, another temperature)"
        )
