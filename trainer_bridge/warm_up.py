"""Supervised steps on the tasks' own answers: a warm-up for what a model never samples by itself, or the recipe
``sft``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from schemas.task import Task
from trainer_bridge.batch import Batch, Draw
from trainer_bridge.build import RunParts
from trainer_bridge.components.samplers import Uniform
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.learn.micro_batches import BatchRow
from trainer_bridge.recipe import load_recipe
from trainer_bridge.rollout.environments import TaskStream


@dataclass(frozen=True)
class Answers:
    """Tasks with a text answer that fits, in a shuffled order, environments mixed by weight."""

    parts: RunParts
    stream: TaskStream
    size: int
    """Answers a step."""

    def step(self, learner: Learner, learning_rate: float | None = None) -> dict[str, float]:
        """One cross-entropy step on the next answers; returns its metrics."""
        samples = [self._sample(number, draw) for number, draw in enumerate(self.stream.draw(self.size))]
        batch = _batch(samples, self.parts)
        ones_B = torch.ones(len(samples), dtype=torch.float64, device=learner.device)
        return learner.update(batch, samples, ones_B, ones_B, self.parts.state, learning_rate)

    def _sample(self, number: int, draw: Draw) -> BatchRow:
        return BatchRow(number, self.parts.worker.prompt_ids(draw), answer_tokens(self.parts, draw.task))


def open_answers(parts: RunParts, done: int) -> Answers:
    """The answers to learn from, after ``done`` steps.

    Raises:
        EnvironmentUnfitError: no training task has a text answer, or none is short enough.

    """
    limit = parts.settings.max_completion_length

    def fits(task: Task) -> bool:
        # Cut off, an answer would be taught to end in its middle.
        return _is_text(task) and len(answer_tokens(parts, task)) <= limit

    answered = sum(_is_text(task) for pool in parts.pools for task in pool.train)
    pools = [pool.only(fits) for pool in parts.pools]
    usable = sum(len(pool.train) for pool in pools)
    if not usable:
        raise EnvironmentUnfitError(
            f"supervised steps need training tasks whose answer is a text of at most {limit} tokens "
            f"(max_completion_length); {answered} have a text, {usable} a short enough one"
        )
    if usable < answered:
        parts.progress.warn(
            f"{answered - usable} of {answered} answers are longer than {limit} tokens and are left out"
        )
    weights = parts.settings.target_weights or (1.0,) * len(pools)
    chosen = [(pool, weight) for pool, weight in zip(pools, weights, strict=True) if pool.train]
    stream = TaskStream([pool for pool, _ in chosen], [weight for _, weight in chosen], Uniform(), parts.settings.seed)
    size = min(parts.settings.prompts_per_step * parts.settings.num_generations, usable)
    stream.draw(done * size)
    return Answers(parts, stream, size)


def warm_up(parts: RunParts) -> None:
    """Take ``sft_steps`` cross-entropy steps at the full learning rate, where they were not taken yet.

    The policy that comes of it is the reference of KL terms. Watch ``warm_up/entropy`` and stop early: reinforcement
    learning needs the diversity that this spends.
    """
    settings, state = parts.settings, parts.state
    if state.warm_up_steps >= settings.sft_steps:
        return
    learner = parts.learner.using(load_recipe("sft"))
    answers = open_answers(parts, state.warm_up_steps)
    parts.progress.say(f"Warming up: {settings.sft_steps} supervised steps of {answers.size} answers")
    while state.warm_up_steps < settings.sft_steps:
        metrics = answers.step(learner, settings.learning_rate)
        state.warm_up_steps += 1
        shown = {f"warm_up/{name}": metrics[name] for name in ("loss", "entropy", "grad_norm")}
        shown["warm_up/steps"] = float(state.warm_up_steps)
        state.last_metrics |= shown
        parts.reporter.note("warm_up.jsonl", shown)
        parts.reporter.log(0, state.last_metrics)
        parts.progress.say(
            f"Warm-up step {state.warm_up_steps}: loss {metrics['loss']:.3f}, entropy {metrics['entropy']:.3f}"
        )
        if state.warm_up_steps == settings.sft_steps:
            parts.learner.take_reference()
        if settings.save_steps and (state.warm_up_steps % settings.save_steps == 0 or _is_over(parts)):
            parts.save()


def _is_over(parts: RunParts) -> bool:
    return parts.state.warm_up_steps == parts.settings.sft_steps


def answer_tokens(parts: RunParts, task: Task) -> list[int]:
    """The tokens of a text answer, and the end."""
    return [*parts.loaded.tokenizer(task.answer, add_special_tokens=False)["input_ids"], parts.loaded.eos_ids[0]]


def _is_text(task: Task) -> bool:
    return isinstance(task.answer, str) and bool(task.answer)


def _batch(samples: Sequence[BatchRow], parts: RunParts) -> Batch:
    lengths_B = torch.tensor([len(sample.tokens) for sample in samples])
    mask_BT = torch.arange(int(lengths_B.max()))[None] < lengths_B[:, None]
    device = parts.learner.device
    return Batch(
        group_B=torch.arange(len(samples), device=device),
        mask_BT=mask_BT.to(device),
        rewards_BK=torch.ones(len(samples), len(parts.space.names), dtype=torch.float64, device=device),
        space=parts.space,
        truncated_B=torch.zeros(len(samples), dtype=torch.bool, device=device),
        sampler_logprobs_BT=torch.zeros(mask_BT.shape, device=device),
    )
