"""Supervised steps on the tasks' answers or on given conversations: a warm-up, or the recipe ``sft``.

A warm-up teaches what a model never samples by itself.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from schemas.task import Task
from trainer_bridge.batch import Batch
from trainer_bridge.components.samplers import Uniform
from trainer_bridge.errors import EnvironmentUnfitError, SettingsError
from trainer_bridge.learn.learner import Learner
from trainer_bridge.recipe import load_recipe
from trainer_bridge.rollout.demonstrations import Shuffled, as_sequences, read_demonstrations
from trainer_bridge.rollout.rollouts import Draw, TokenSequence, as_sample, masked
from trainer_bridge.rollout.task_stream import TaskStream
from trainer_bridge.run_parts import RunParts

Shown = tuple[TokenSequence, ...]
"""One supervised sample: the sequences of a rollout."""


@dataclass(frozen=True)
class Answers:
    """The samples of supervised steps, in a shuffled order."""

    parts: RunParts
    draw: Callable[[int], Sequence[Shown]]
    """Returns the next samples."""
    size: int
    """Samples for each step."""

    def step(self, learner: Learner, learning_rate: float | None = None) -> dict[str, float]:
        """One cross-entropy step on the next samples; returns its metrics."""
        shown = self.draw(self.size)
        batch = _batch(shown, self.parts)
        ones_B = torch.ones(len(shown), dtype=torch.float64, device=learner.device)
        rows = [as_sample(number, sequences) for number, sequences in enumerate(shown)]
        return learner.update(batch, rows, ones_B, ones_B, self.parts.state, learning_rate)


def open_answers(parts: RunParts, done: int) -> Answers:
    """The samples after ``done`` steps: conversations if the settings name a file, else the tasks' text answers.

    Raises:
        EnvironmentUnfitError: no training task has a text answer, none is short enough, or an environment is a session.
        SettingsError: no given conversation fits, or their file cannot be read.

    """
    return _open_conversations(parts, done) if parts.settings.demonstrations else _open_answers(parts, done)


def _open_conversations(parts: RunParts, done: int) -> Answers:
    settings, model = parts.settings, parts.worker.model
    assert settings.demonstrations is not None
    read = read_demonstrations(settings.demonstrations)
    found = [as_sequences(one, model, parts.loaded.eos_ids[0]) for one in read]
    most = min(settings.max_rollout_tokens or model.context or 2**31, model.context or 2**31)
    usable = [
        shown
        for shown in found
        if all(
            len(one.prompt) + len(one.tokens) <= most and _longest_answer(one) <= settings.max_completion_length
            for one in shown
        )
    ]
    limits = f"have an answer of more than {settings.max_completion_length} tokens, or more than {most} in all"
    if not usable:
        raise SettingsError(f"demonstrations: all of {settings.demonstrations} {limits}")
    if len(usable) < len(found):
        parts.progress.warn(f"{len(found) - len(usable)} of {len(found)} demonstrations {limits}, and are left out")
    size = min(settings.prompts_per_step * settings.num_generations, len(usable))
    return Answers(parts, Shuffled(usable, settings.seed, done * size).draw, size)


def _longest_answer(sequence: TokenSequence) -> int:
    return max(sequence.call.count(number) for number in {*sequence.call} - {-1})


def _open_answers(parts: RunParts, done: int) -> Answers:
    sessions = [pool.name for pool in parts.pools if pool.environment.manifest.session]
    if sessions:
        raise EnvironmentUnfitError(
            f"{', '.join(sessions)}: a session's answer is not what the model writes, so supervised steps need "
            "conversations to imitate (--set demonstrations=FILE)"
        )
    limit = parts.settings.max_completion_length

    def fits(task: Task) -> bool:
        # A cut answer would teach the model to stop in the middle.
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
    return Answers(parts, lambda count: [_answer(parts, draw) for draw in stream.draw(count)], size)


def _answer(parts: RunParts, draw: Draw) -> Shown:
    tokens = tuple(answer_tokens(parts, draw.task))
    prompt = parts.worker.model.template.begin(draw.task.messages())
    return (TokenSequence(prompt, tokens, (0.0,) * len(tokens), (0,) * len(tokens)),)


def warm_up(parts: RunParts) -> None:
    """Take the ``sft_steps`` cross-entropy steps that were not taken yet, at the full learning rate.

    The resulting policy is the reference of KL terms. Watch ``warm_up/entropy`` and stop early, because a warm-up
    reduces the diversity that reinforcement learning needs.
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
        parts.run_logger.note("warm_up.jsonl", shown)
        parts.run_logger.log(0, state.last_metrics)
        parts.progress.say(
            f"Warm-up step {state.warm_up_steps}: loss {metrics['loss']:.3f}, entropy {metrics['entropy']:.3f}"
        )
        if state.warm_up_steps == settings.sft_steps:
            parts.learner.take_reference()
        if settings.save_steps and (state.warm_up_steps % settings.save_steps == 0 or _is_over(parts)):
            parts.save()


def supervised_step(parts: RunParts, answers: Answers) -> None:
    """One step of recipe ``sft``: no samples and no rewards, cross-entropy on given answers."""
    started = time.perf_counter()
    metrics = answers.step(parts.learner)
    parts.state.step += 1
    metrics["step_time"] = time.perf_counter() - started
    parts.run_logger.log(parts.state.step, metrics)
    parts.state.last_metrics = metrics
    parts.progress.say(f"Step {parts.state.step} of {parts.settings.steps}: loss {metrics['loss']:.3f}")


def _is_over(parts: RunParts) -> bool:
    return parts.state.warm_up_steps == parts.settings.sft_steps


def answer_tokens(parts: RunParts, task: Task) -> list[int]:
    """The tokens of a text answer with the end token."""
    return [*parts.worker.model.tokens(str(task.answer)), parts.loaded.eos_ids[0]]


def _is_text(task: Task) -> bool:
    return isinstance(task.answer, str) and bool(task.answer)


def _batch(shown: Sequence[Shown], parts: RunParts) -> Batch:
    turn_BT, logprobs_BT = masked(shown)
    device = parts.learner.device
    return Batch(
        group_B=torch.arange(len(shown), device=device),
        mask_BT=(turn_BT >= 0).to(device),
        rewards_BK=torch.ones(len(shown), len(parts.space.names), dtype=torch.float64, device=device),
        space=parts.space,
        truncated_B=torch.zeros(len(shown), dtype=torch.bool, device=device),
        sampler_logprobs_BT=logprobs_BT.to(device),
    )
