"""The training loop (GRPO), from tasks to weights, in the order in which it runs."""

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from schemas.known_audit import KnownAudit
from schemas.metric_names import ENTROPY
from schemas.run import PinnedPackage, RewardChange, RunState
from schemas.wording import counted
from trainer_bridge.build import open_parts
from trainer_bridge.disk import full_disk_is_told
from trainer_bridge.errors import NoSignalError, OtherProcessError
from trainer_bridge.hacking_alarm import add_to_curves, alarm_words
from trainer_bridge.interrupt import StopAfterStep
from trainer_bridge.launcher import end_with_launcher
from trainer_bridge.learn.checkpoints import newest_checkpoint
from trainer_bridge.models.devices import pick_threads
from trainer_bridge.models.saved_model import save_model
from trainer_bridge.opened_packages import OpenedPackages
from trainer_bridge.ports import Hub, Progress
from trainer_bridge.ranks import Ranks, open_ranks
from trainer_bridge.recipe import open_recipe
from trainer_bridge.reports.evaluation import TOTAL, Change, Evaluation, changes, evaluate, evaluation_metrics
from trainer_bridge.reports.first_step import first_step_warnings
from trainer_bridge.reports.step_report import NoProgress, advantage_metrics, as_rows, step_metrics, stopped_note
from trainer_bridge.rollout.rollouts import Rollout, as_batch, as_samples
from trainer_bridge.run_parts import RunParts
from trainer_bridge.samples_ahead import SamplesAhead, corrected_for_staleness, is_due
from trainer_bridge.settings import TrainSettings, has_launcher, is_one_of_several, stranded
from trainer_bridge.sole_writer import sole_writer
from trainer_bridge.warm_up import open_answers, supervised_step, warm_up

_PATIENCE_STEPS = 5  # chosen: a run that can learn nothing is to end before it costs hours
_WHEN = {
    "eval_before": "before training",
    "eval_warm_up": "after the warm-up",
    "eval": "while training",
    "eval_after": "after training",
}


@dataclass(frozen=True)
class TrainResult:
    """The result of a run. ``rewards`` holds each reward on held-out tasks, before and after training."""

    run_id: str
    steps: int
    seconds: float
    rewards: dict[str, Change]
    model_folder: Path
    warm_up: dict[str, Change] = field(default_factory=dict)
    """The changes by the supervised warm-up alone, by reward."""
    lost_tries: int = 0
    """Tries of training rollouts that were lost with a box, the engine or the hub, and played again."""

    @property
    def summary(self) -> dict[str, RewardChange]:
        """The changes in the form that the hub stores."""
        return {name: change.as_schema() for name, change in self.rewards.items()}


@dataclass(frozen=True)
class Replayed:
    """What a run that is replayed found, and keeps to when it is run again."""

    audits: Mapping[str, KnownAudit]
    """See ``open_parts``."""
    opened: Mapping[str, PinnedPackage]
    """See ``OpenedPackages``."""
    pauses: Collection[int]
    """See ``SamplesAhead``."""


def train(
    settings: TrainSettings,
    *,
    hub: Hub,
    progress: Progress | None = None,
    report: bool = True,
    replayed: Replayed | None = None,
) -> TrainResult:
    """Train with ``settings``, and report to ``hub`` as a run unless ``report`` is false.

    Under torchrun each process calls this, and all train one model. The first one reports and writes files.

    Raises:
        AuditLimitError: a verifier's audit is missing or exceeds the limits of the settings. Nothing was trained.
        TrainerBridgeError: see ``errors.py``. The run is then marked as failed on the hub.

    """
    if has_launcher():
        end_with_launcher()
    elif alone := stranded():
        (progress or NoProgress()).warn(
            f"this is one of several processes ({alone}) that something other than torchrun has started, and each of "
            "them trains a model of its own. To train one model together, start it with torchrun on each machine"
        )
    with open_ranks(settings.device, seconds=settings.rank_timeout, several=is_one_of_several()) as ranks:
        return train_over(ranks, settings, hub=hub, progress=progress, report=report, replayed=replayed)


def train_over(
    ranks: Ranks,
    settings: TrainSettings,
    *,
    hub: Hub,
    progress: Progress | None = None,
    report: bool = True,
    replayed: Replayed | None = None,
) -> TrainResult:
    """Like :func:`train`, as one process of ``ranks``."""
    started = time.perf_counter()
    settings = settings.model_copy(update={"output": ranks.broadcast_object(settings.output)})
    hub = OpenedPackages(hub, replayed.opened if replayed else None)
    audits = replayed.audits if replayed else None
    recipe = corrected_for_staleness(open_recipe(settings.recipe, settings.recipe_overrides, hub), settings, ranks)
    progress = progress or NoProgress()
    with (
        sole_writer(settings.output, ranks, progress),
        open_parts(settings, recipe, hub, progress, ranks=ranks, report=report, audits=audits) as parts,
    ):
        parts.run_logger.create(parts.run_to_create())
        if ranks.is_first:
            parts.receipt(hub.found).write(settings.output, begins=newest_checkpoint(settings.output) is None)
        try:
            with ranks.watched(), full_disk_is_told(settings.output):
                rewards = _run(parts, replayed.pauses if replayed else ())
            folder = _save_model(parts, "model")
        except KeyboardInterrupt:
            ranks.ignore_sigterm()
            # Tell the hub that the run has ended, so that it does not show as running.
            parts.run_logger.finish(RunState.STOPPED, note=stopped_note(parts.settings.output), seconds=3.0)
            with suppress(OtherProcessError):
                # torchrun ends the other processes as soon as one has ended, so do that after the last message
                ranks.all_gather(None)
            raise
        except BaseException as error:  # a run that says nothing at its end shows as running for ever
            ranks.ignore_sigterm()
            parts.run_logger.finish(RunState.FAILED, note=f"{type(error).__name__}: {error}"[:500])
            raise
        state = parts.state
        warmed = changes(state.before, state.warmed) if state.before and state.warmed else {}
        result = TrainResult(parts.run_logger.run_id, state.step, 0.0, rewards, folder, warmed, state.lost_tries)
        parts.run_logger.finish(RunState.FINISHED, result.summary)
        return replace(result, run_id=parts.run_logger.run_id, seconds=time.perf_counter() - started)


def _run(parts: RunParts, pauses: Collection[int]) -> dict[str, Change]:
    """Evaluate, train, evaluate."""
    settings = parts.settings
    if parts.state.before is None and parts.held_out:
        parts.state.before = _evaluate(parts, "eval_before")
    warm_up(parts)
    if settings.sft_steps and parts.held_out and parts.state.warmed is None:
        parts.state.warmed = _evaluate(parts, "eval_warm_up")
    answers = open_answers(parts, parts.state.step) if parts.recipe.learns_answers else None
    size = f"{answers.size} answers" if answers else f"{settings.prompts_per_step} x {settings.num_generations} samples"
    parts.progress.say(f"Training: {counted(settings.steps, 'step')} of {size}")
    with StopAfterStep(parts.progress.say) as stop, SamplesAhead(parts, pauses) as samples:
        while parts.state.step < settings.steps:
            supervised_step(parts, answers) if answers else _step(parts, samples)
            _after_step(parts)
            if parts.state.step < settings.steps and parts.ranks.any(stop.is_asked):
                samples.drop()
                parts.save()
                raise KeyboardInterrupt
    if not parts.state.before:
        return {}
    after = _evaluate(parts, "eval_after")
    if settings.eval_steps:
        _keep_best(parts, after)
    return changes(parts.state.before, after)


def _evaluate(parts: RunParts, phase: str) -> Evaluation:
    """Answer the held-out tasks and report every answer."""
    pick_threads(parts.threads)
    parts.progress.say(f"Evaluating on {counted(len(parts.held_out), 'held-out task')} ({_WHEN[phase]})")
    found = evaluate(parts.worker, parts.held_out, parts.space, parts.settings)
    parts.run_logger.rollouts(as_rows(found.rollouts, parts.state.step, phase))
    parts.state.last_metrics |= evaluation_metrics(found, parts.space, parts.settings)
    parts.run_logger.log(parts.state.step, parts.state.last_metrics)  # the hub replaces a step that comes twice
    return found


def _step(parts: RunParts, samples: SamplesAhead) -> None:
    """One step: sample groups, learn from them, report the metrics."""
    started = time.perf_counter()
    threads = pick_threads(parts.threads)
    sampled = samples.take()
    samples.start()  # the next step's, in a thread; nothing at all unless max_staleness is 1
    kept, seen, metrics = sampled.kept, sampled.seen, dict(sampled.metrics)  # learnt from; sampled, dropped ones too
    metrics["perf/threads"] = float(threads)
    everything = as_batch(seen, parts.space, parts.learner.device)
    metrics |= step_metrics(everything, seen, [pool.name for pool in parts.pools])
    parts.state.tokens += sum(len(one.prompt) for rollout in seen for one in rollout.sequences)
    parts.state.lost_tries += sum(rollout.lost for rollout in seen)
    parts.state.tokens += sum(rollout.tokens for rollout in seen)  # as in TRL: without what a tool wrote
    metrics["num_tokens"] = parts.state.tokens
    parts.progress.learning()
    advantages = _learn(parts, kept, metrics) if kept else []
    _require_signal(parts, has_signal=metrics.get("num_trained", 0) > 0)
    parts.state.step += 1
    if ENTROPY in metrics:
        for controller in parts.recipe.controllers:
            controller(parts.state, metrics)
    metrics["step_time"] = time.perf_counter() - started
    metrics["perf/gen_tokens_per_s"] = float(everything.length_B.sum()) / max(metrics["time/generate"], 1e-9)
    parts.run_logger.log(parts.state.step, metrics)
    parts.state.last_metrics = metrics
    rows = as_rows(kept or seen, parts.state.step, "train", advantages)
    count = parts.settings.rollouts_per_step
    parts.run_logger.rollouts(rows[:: max(1, len(rows) // max(count, 1))][:count])
    if parts.state.step == 1:
        for text in first_step_warnings(metrics, parts.settings, parts.recipe, parts.space):
            parts.progress.warn(text)
    if parts.settings.held_out_verifier:
        _watch(parts, seen, metrics)
    parts.progress.step(parts.state.step, parts.settings.steps, metrics)


def _learn(parts: RunParts, kept: Sequence[Rollout], metrics: dict[str, float]) -> list[float]:
    """Advantages and updates. Adds to ``metrics``; returns the advantages, row by row."""
    batch = as_batch(kept, parts.space, parts.learner.device)
    advantages_B, utility_B = parts.recipe.row_advantages(batch)
    batch = replace(batch, mask_BT=parts.recipe.trained_mask(batch))
    metrics |= advantage_metrics(advantages_B)
    metrics |= parts.learner.update(batch, as_samples(kept), advantages_B, utility_B, parts.state)
    seconds = metrics["time/backward"] + metrics["time/logprob"] + metrics["time/optim"]
    metrics["perf/train_tokens_per_s"] = float(batch.length_B.sum()) / max(seconds, 1e-9)
    values: list[float] = advantages_B.tolist()
    return values


def _require_signal(parts: RunParts, *, has_signal: bool) -> None:
    """Raise NoSignalError if no group's rewards differed in the first steps. Called before the step is counted."""
    parts.state.steps_with_signal += has_signal
    if parts.state.steps_with_signal == 0 and parts.state.step + 1 >= _PATIENCE_STEPS:
        if not parts.state.last_metrics.get("rollout/turns", 1):
            raise NoSignalError(
                f"in {_PATIENCE_STEPS} steps no sample asked the model for anything: either the harness never does, or "
                f"no prompt fitted into the model's context of {parts.worker.model.context} tokens, or into "
                "max_rollout_tokens (tools and a session's first messages count as well)"
            )
        raise NoSignalError(
            f"in {_PATIENCE_STEPS} steps there was nothing to learn: the samples of every prompt earned the same "
            "reward, or none was accepted. The tasks are too hard or too easy for this model (try others, more samples "
            "a prompt, another temperature)"
        )


def _watch(parts: RunParts, seen: Sequence[Rollout], metrics: dict[str, float]) -> None:
    """Raise the reward-hacking alarm, once, and collect samples on which the two verifiers disagree."""
    state = parts.state
    add_to_curves(state.curves, state.step, metrics, parts.space.names)
    alarm = alarm_words(state.curves, parts.audits, len(parts.pools))
    if alarm and not state.has_warned:
        parts.progress.warn(alarm[0].upper() + alarm[1:])
    state.has_warned = bool(alarm)
    parts.suspects.take(seen, parts.space, step=state.step, run_id=parts.run_logger.run_id, alarm=alarm)


def _after_step(parts: RunParts) -> None:
    """Evaluate and save a checkpoint at the intervals of the settings.

    Not after the last step, since both are done at the end anyway.
    """
    settings, step = parts.settings, parts.state.step
    if step >= settings.steps:
        return
    if is_due(settings.eval_steps, step) and parts.held_out:
        _keep_best(parts, _evaluate(parts, "eval"))
    if is_due(settings.save_steps, step):
        parts.save()


def _keep_best(parts: RunParts, found: Evaluation) -> None:
    """Keep the model of the best evaluation so far, by the weighted sum on held-out tasks, in ``best``."""
    value = found.at_least(TOTAL)
    if value > parts.state.best:  # NaN, nothing judged, is never better
        parts.state.best = value
        _save_model(parts, "best")
        parts.progress.say(
            f"The best evaluation so far ({value:.3f}): the model is kept in {parts.settings.output / 'best'}"
        )


def _save_model(parts: RunParts, name: str) -> Path:
    """Write the model to a folder of the output. Every process has the whole model, and the first one writes it."""
    folder = parts.settings.output / name
    with parts.ranks.fail_together():
        if parts.ranks.is_first:
            save_model(parts.loaded, folder)
    return folder
