"""A light supervised warm-up on the tasks' own answers, for what a model never samples by itself."""

import torch

from trainer_bridge.assembly import Parts
from trainer_bridge.batch import Batch, State
from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.packing import Sample
from trainer_bridge.recipe import load_recipe
from trainer_bridge.stream import Draw


def warm_up(parts: Parts) -> None:
    """Take ``sft_steps`` cross-entropy steps on training tasks with a text answer; does nothing when it was done.

    Watch ``entropy`` in its reports and stop early: reinforcement learning needs the diversity that this spends.

    Raises:
        EnvironmentUnfitError: no training task has a text answer.

    """
    done = int(parts.state.memory.get("sft_steps", 0))
    if done >= parts.settings.sft_steps:
        return
    learner = parts.learner.using(load_recipe("sft"))
    answered = [
        Draw(number, pool.name, task)
        for number, pool in enumerate(parts.pools)
        for task in pool.train
        if isinstance(task.answer, str) and task.answer
    ]
    if not answered:
        raise EnvironmentUnfitError("a supervised warm-up (sft_steps) needs training tasks whose answer is a text")
    parts.progress.say(f"Warming up: {parts.settings.sft_steps} supervised steps on {len(answered)} answers")
    size = parts.settings.prompts_per_step * parts.settings.num_generations
    for step in range(done, parts.settings.sft_steps):
        chosen = [answered[(step * size + offset) % len(answered)] for offset in range(min(size, len(answered)))]
        samples = [_sample(parts, number, draw) for number, draw in enumerate(chosen)]
        batch = _batch(samples, parts)
        ones_B = torch.ones(len(samples), dtype=torch.float64, device=learner.device)
        metrics = learner.update(batch, samples, ones_B, ones_B, State())
        parts.state.memory["sft_steps"] = step + 1
        parts.progress.say(f"Warm-up step {step + 1}: loss {metrics['loss']:.3f}, entropy {metrics['entropy']:.3f}")


def _sample(parts: Parts, number: int, draw: Draw) -> Sample:
    answer = parts.loaded.tokenizer(draw.task.answer, add_special_tokens=False)["input_ids"]
    tokens = [*answer[: parts.settings.max_completion_length - 1], parts.loaded.eos_ids[0]]
    return Sample(number, parts.worker.prompt_ids(draw), tokens)


def _batch(samples: list[Sample], parts: Parts) -> Batch:
    lengths_B = torch.tensor([len(sample.tokens) for sample in samples])
    mask_BT = torch.arange(int(lengths_B.max()))[None] < lengths_B[:, None]
    names = len(parts.space.names)
    device = parts.learner.device
    return Batch(
        group_B=torch.arange(len(samples), device=device),
        mask_BT=mask_BT.to(device),
        rewards_BK=torch.ones(len(samples), names, dtype=torch.float64, device=device),
        space=parts.space,
        truncated_B=torch.zeros(len(samples), dtype=torch.bool, device=device),
        sampler_logprobs_BT=torch.zeros(mask_BT.shape, device=device),
    )
