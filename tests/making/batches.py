"""Batches of rollouts for tests of the trainer, by hand or drawn at random."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from schemas.manifest import RewardDeclaration
from trainer_bridge.batch import Batch
from trainer_bridge.rewards import RewardSpace


def make_batch(
    lengths: Sequence[int],
    groups: Sequence[int] | None = None,
    rewards: Mapping[str, Sequence[float]] | None = None,
    space: RewardSpace | None = None,
    **tensors: Any,
) -> Batch:
    """Build a batch from lengths, groups and a reward vector a row (named columns)."""
    counts = torch.tensor(lengths)
    named = dict(rewards or {"score": [0.0] * len(lengths)})
    mask = torch.arange(int(counts.max()))[None] < counts[:, None]
    drawn: dict[str, Any] = {
        "truncated_B": torch.zeros(len(lengths), dtype=torch.bool),
        "sampler_logprobs_BT": torch.zeros(mask.shape, dtype=torch.float64),
    }
    return Batch(
        group_B=torch.tensor(list(groups) if groups else [0] * len(lengths)),
        mask_BT=mask,
        rewards_BK=torch.tensor(list(named.values()), dtype=torch.float64).T.contiguous(),
        space=space or RewardSpace({name: RewardDeclaration() for name in named}),
        **(drawn | tensors),
    )


def random_batch(seed: int, *, groups: int = 3, size: int = 4, width: int = 6, unjudged: float = 0.0) -> Batch:
    """Several groups of rows of random lengths (none empty) with everything that a recipe may need, in float64."""
    draw = torch.Generator().manual_seed(seed)
    rows = groups * size
    lengths = torch.randint(1, width + 1, (rows,), generator=draw)
    lengths[0] = width
    rewards = torch.randint(0, 5, (rows,), generator=draw).double() / 4
    rewards[torch.rand(rows, generator=draw) < unjudged] = float("nan")

    def logprobs() -> Tensor:
        return -torch.rand(rows, width, generator=draw, dtype=torch.float64) * 3 - 0.01

    sampler = logprobs()
    return make_batch(
        lengths.tolist(),
        torch.arange(groups).repeat_interleave(size).tolist(),
        {"score": rewards.tolist()},
        truncated_B=torch.rand(rows, generator=draw) < 0.2,
        sampler_logprobs_BT=sampler,
        old_logprobs_BT=sampler + 0.05 * logprobs(),
        current_logprobs_BT=sampler + 0.05 * logprobs(),
        reference_logprobs_BT=logprobs(),
        entropy_BT=-logprobs(),
    )
