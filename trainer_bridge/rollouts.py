"""Tasks to judged groups of samples: decoding and scoring overlapped, then all of it as tensors."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from schemas.run import RolloutRow
from schemas.verdict import Verdict
from trainer_bridge.batch import Batch
from trainer_bridge.decoding.completions import Completion, Decoder, Request
from trainer_bridge.decoding.sampling import Sampling
from trainer_bridge.packing import Sample
from trainer_bridge.progress import Progress
from trainer_bridge.rewards import RewardSpace, is_accepted, rewards_matrix
from trainer_bridge.scoring import Scorer
from trainer_bridge.stream import Draw


@dataclass(frozen=True)
class Rollout:
    """One judged sample. ``group`` numbers its prompt within the step."""

    draw: Draw
    group: int
    prompt_ids: tuple[int, ...]
    completion: Completion
    text: str
    verdict: Verdict
    held_out: Verdict | None = None
    """What a second verifier says that is never learnt from."""


@dataclass(frozen=True)
class Timing:
    """Seconds of generation, and of waiting for verdicts after it."""

    generate: float
    wait: float


@dataclass(frozen=True)
class RolloutWorker:
    """Everything that turns tasks into rollouts."""

    decoder: Decoder
    tokenizer: Any
    scorer: Scorer
    generator: torch.Generator
    progress: Progress
    watcher: int | None = None
    """The scorer's number of the held-out verifier, if there is one."""

    def collect(
        self, draws: Sequence[Draw], copies: int, max_completion_length: int, sampling: Sampling, first_group: int = 0
    ) -> tuple[list[Rollout], Timing]:
        """Sample ``copies`` completions of every task, each sent to scoring the moment it is finished."""
        prompts = [self.prompt_ids(draw) for draw in draws]
        request = Request(prompts, copies, max_completion_length, sampling)
        total = len(draws) * copies
        scoring = self.scorer.round()
        finished: dict[int, tuple[Completion, str]] = {}
        start = time.perf_counter()
        for completion in self.decoder.generate(request, self.generator):
            key = completion.group * copies + completion.member
            text = self.tokenizer.decode(completion.tokens, skip_special_tokens=True)
            finished[key] = (completion, text)
            draw = draws[completion.group]
            scoring.submit(key, draw.environment, draw, text)
            if self.watcher is not None:
                scoring.submit(key + total, self.watcher, draw, text)
            self.progress.sampled(len(finished), total)
        generated = time.perf_counter()
        verdicts = scoring.verdicts()
        timing = Timing(generated - start, time.perf_counter() - generated)
        rollouts = [
            Rollout(
                draws[completion.group],
                first_group + completion.group,
                prompts[completion.group],
                completion,
                text,
                verdicts[key],
                verdicts.get(key + total),
            )
            for key, (completion, text) in sorted(finished.items())
        ]
        return rollouts, timing

    def prompt_ids(self, draw: Draw) -> tuple[int, ...]:
        """The chat-formatted prompt, ready for the assistant's turn."""
        ids = self.tokenizer.apply_chat_template(
            draw.task.messages(), add_generation_prompt=True, tokenize=True, return_dict=True
        )["input_ids"]
        return tuple(ids)


def as_batch(rollouts: Sequence[Rollout], space: RewardSpace, device: torch.device) -> Batch:
    """Rollouts as tensors, row by row; groups renumbered from 0."""
    width = max(len(rollout.completion.tokens) for rollout in rollouts)
    numbers = {group: index for index, group in enumerate(dict.fromkeys(rollout.group for rollout in rollouts))}
    lengths_B = torch.tensor([len(rollout.completion.tokens) for rollout in rollouts])
    logprobs_BT = torch.zeros(len(rollouts), width)
    for row, rollout in enumerate(rollouts):
        logprobs_BT[row, : lengths_B[row]] = torch.tensor(rollout.completion.logprobs)
    return Batch(
        group_B=torch.tensor([numbers[rollout.group] for rollout in rollouts]).to(device),
        mask_BT=_mask(lengths_B, width).to(device),
        rewards_BK=rewards_matrix([rollout.verdict for rollout in rollouts], space).to(device),
        space=space,
        truncated_B=torch.tensor([rollout.completion.truncated for rollout in rollouts]).to(device),
        sampler_logprobs_BT=logprobs_BT.to(device),
    )


def as_rows(rollouts: Sequence[Rollout], step: int, phase: str, advantages: Sequence[float] = ()) -> list[RolloutRow]:
    """Rollouts as the hub keeps them."""
    return [
        RolloutRow(
            step=step,
            phase=phase,
            package=rollout.draw.package,
            task_id=rollout.draw.task.id,
            prompt=_shown_prompt(rollout.draw),
            response=rollout.text,
            rewards=rollout.verdict.rewards,
            held_out=rollout.held_out.rewards if rollout.held_out is not None else {},
            error=_shown_error(rollout.verdict),
            advantage=advantages[row] if advantages else None,
            tokens=len(rollout.completion.tokens),
        )
        for row, rollout in enumerate(rollouts)
    ]


def pass_rates(rollouts: Sequence[Rollout], space: RewardSpace) -> dict[str, float]:
    """Durable task key -> share of its samples whose every score reached its threshold (not judged: not passed)."""
    passed: dict[str, list[bool]] = {}
    for rollout in rollouts:
        passed.setdefault(rollout.draw.task.key, []).append(bool(is_accepted(rollout.verdict, space)))
    return {key: sum(flags) / len(flags) for key, flags in passed.items()}


def why_unjudged(rollouts: Sequence[Rollout]) -> str:
    """One sentence for a step in which no sample could be judged."""
    reasons = [reason for rollout in rollouts if (reason := _shown_error(rollout.verdict))]
    return f"none of {len(rollouts)} samples could be judged ({(reasons or ['every reward was null'])[0][:400]})"


def _shown_prompt(draw: Draw) -> str:
    if isinstance(draw.task.prompt, str):
        return draw.task.prompt
    return "\n\n".join(str(message.get("content", "")) for message in draw.task.messages())


def _shown_error(verdict: Verdict) -> str:
    return f"{verdict.error.kind}: {verdict.error.message}" if verdict.error else ""


def as_samples(rollouts: Sequence[Rollout]) -> list[Sample]:
    """Rollouts as token sequences for packing."""
    return [Sample(rollout.group, rollout.prompt_ids, rollout.completion.tokens) for rollout in rollouts]


def _mask(lengths_B: Tensor, width: int) -> Tensor:
    return torch.arange(width)[None] < lengths_B[:, None]
