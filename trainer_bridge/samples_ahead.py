"""Gets the samples of a step: when the step starts, or ahead, during the update of the step before."""

import asyncio
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import TracebackType
from typing import Any, Self

import torch

from trainer_bridge.components.registry import make_component
from trainer_bridge.errors import ScoringError, SettingsError
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import Recipe
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import Rollout, as_batch, pass_rates
from trainer_bridge.rollout.scorer import why_unjudged
from trainer_bridge.rollout.worker import Timing
from trainer_bridge.run_parts import RunParts
from trainer_bridge.settings import TrainSettings

CORRECTION = "truncated_importance"
_LOOK_SECONDS = 0.5
"""How often a waiting thread wakes up. Otherwise a Ctrl-C just before the wait would be handled only after the samples
came.
"""


@dataclass(frozen=True)
class Sampled:
    """``kept``: the groups to train on. ``seen``: also those that a filter dropped."""

    kept: list[Rollout]
    seen: list[Rollout]
    metrics: dict[str, float] = field(default_factory=dict)


class SamplesAhead:
    """Gives each step its samples. With ``max_staleness`` 1 a thread samples the next step during the update of this
    one.

    Such samples come from the weights before the update, so they are one update old. Nothing is sampled ahead across an
    evaluation or a checkpoint. So a checkpoint holds no samples, and a resumed run computes the same as one that was
    never stopped: to the bit, or with sessions up to rounding in the sampler, which batches the turns of sessions as
    they come.

    ``pauses``: further steps over whose end nothing is sampled ahead, as a run that is replayed was stopped after them.
    """

    def __init__(self, parts: RunParts, pauses: Collection[int] = ()) -> None:
        self._parts, self._pauses = parts, pauses
        self._thread = ThreadPoolExecutor(1, "verihub-ahead")
        self._ahead: Future[Sampled] | None = None
        self._before: tuple[dict[str, Any], torch.Tensor] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ahead is not None:  # an error or an interrupt: nobody waits for these samples any more
            self._parts.worker.runs.stop()
        self._thread.shutdown()

    def take(self) -> Sampled:
        """The samples of the present step: those drawn ahead, or new ones."""
        started, is_ahead = perf_counter(), self._ahead is not None
        if self._ahead is not None:
            while not wait([self._ahead], _LOOK_SECONDS).done:
                pass
            found = self._ahead.result()
            self._ahead = None
        else:
            self._parts.worker.engine.load_weights()
            found = sample(self._parts)
        waited = {"time/wait_for_samples": perf_counter() - started, "sampling/staleness": float(is_ahead)}
        return replace(found, metrics={**found.metrics, **waited}) if self._parts.settings.max_staleness else found

    def start(self) -> None:
        """Start to sample the next step with the present weights, if it may be sampled ahead."""
        settings, next_step = self._parts.settings, self._parts.state.step + 1
        is_pause = is_due(settings.eval_steps, next_step) or is_due(settings.save_steps, next_step)
        is_pause = is_pause or next_step in self._pauses
        if not settings.max_staleness or next_step >= settings.steps or is_pause:
            return
        self._before = (self._parts.stream.state(), self._parts.worker.generator.get_state())
        self._parts.worker.engine.load_weights()
        self._ahead = self._thread.submit(sample, self._parts)

    def drop(self) -> None:
        """Discard what was sampled ahead. A resumed run draws the same tasks and random numbers again."""
        if self._ahead is None or self._before is None:
            return
        self._parts.worker.runs.stop()
        with suppress(Exception, asyncio.CancelledError):  # stopped or failed: nothing to use
            self._ahead.result()
        stream, generator = self._before
        self._parts.stream.restore(stream)
        self._parts.worker.generator.set_state(generator)
        self._ahead = None


def is_due(every: int, step: int) -> bool:
    """Whether something that is done every ``every`` steps (0: never) is due after this step."""
    return every > 0 and step % every == 0


def sample(parts: RunParts) -> Sampled:
    """Sample the groups of one step. Dropped groups are replaced by new ones, up to the limit of rounds.

    Raises:
        ScoringError: no sample of the step could be judged. One is enough: what is drawn in place of dropped groups may
            be a single task whose verifier breaks.

    """
    settings, recipe = parts.settings, parts.recipe
    sampling = Sampling(settings.temperature, settings.top_p, settings.top_k)
    kept: list[Rollout] = []
    seen: list[Rollout] = []
    timing = Timing(0.0, 0.0)
    rounds = drawn = 0
    is_judged = False
    missing = settings.prompts_per_step
    while missing and rounds < (settings.max_generation_batches if recipe.refills else 1):
        draws = parts.stream.draw(missing)
        rollouts, spent = parts.worker.collect(
            draws, settings.num_generations, settings.max_completion_length, sampling, first_group=drawn
        )
        batch = as_batch(rollouts, parts.space, parts.learner.device)
        is_judged = is_judged or not bool(batch.rewards_BK.isnan().all())
        if not is_judged:
            raise ScoringError(why_unjudged(rollouts))
        keep_B = parts.ranks.broadcast_object(recipe.keep_groups(batch).tolist())
        kept += [rollout for rollout, keep in zip(rollouts, keep_B, strict=True) if keep]
        seen += rollouts
        parts.stream.record(pass_rates(rollouts, parts.space))
        timing, rounds, drawn = timing + spent, rounds + 1, drawn + len(draws)
        missing = settings.prompts_per_step - _group_count(kept)
    metrics = {
        "time/generate": timing.generate,
        "time/reward": timing.wait,
        "time/environment": timing.environment,
        "sampling/generation_batches": float(rounds),
        "sampling/groups_dropped": float(drawn - _group_count(kept)),
    }
    return Sampled(kept, seen, metrics)


def _group_count(rollouts: Sequence[Rollout]) -> int:
    return len({rollout.group for rollout in rollouts})


def corrected_for_staleness(recipe: Recipe, settings: TrainSettings, ranks: Ranks) -> Recipe:
    """The recipe, with truncated importance sampling added if samples may be older than the weights.

    Raises:
        SettingsError: this run cannot sample ahead.

    """
    if not settings.max_staleness:
        return recipe
    refusals = {
        f"recipe {recipe.name} samples nothing": recipe.learns_answers,
        "with several processes all wait for each other in a step": ranks.count > 1,
        "vLLM in this process shares the device's time (use a server: engine_url)": settings.engine == "vllm"
        and not settings.engine_url,
    }
    for reason, applies in refusals.items():
        if applies:
            raise SettingsError(f"max_staleness must be 0 here: {reason}")
    if any(part.name == CORRECTION for part in recipe.token_weights):
        return recipe
    return replace(recipe, token_weights=(*recipe.token_weights, make_component("token_weights", CORRECTION, {})))
