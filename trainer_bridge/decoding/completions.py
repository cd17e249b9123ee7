"""What every decoder takes and gives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from trainer_bridge.decoding.sampling import Sampling


@dataclass(frozen=True)
class Completion:
    """One finished sample. ``logprobs`` are the sampler's own, float32, after temperature, one a token.

    ``tokens`` end with the end-of-turn token unless ``truncated``.
    """

    group: int
    member: int
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    truncated: bool


@dataclass(frozen=True)
class Request:
    """``copies`` samples of every prompt (token ids), each of at most ``max_completion_length`` tokens."""

    prompts: Sequence[Sequence[int]]
    copies: int
    max_completion_length: int
    sampling: Sampling


class Decoder(Protocol):
    """Samples completions and yields each as soon as it is finished."""

    def generate(self, request: Request, generator: torch.Generator) -> Iterator[Completion]:
        """Yield ``len(prompts) x copies`` completions in the order in which they finish."""
        ...


def cut_at_end(tokens: Sequence[int], eos_ids: Sequence[int], limit: int) -> tuple[tuple[int, ...], bool]:
    """Keep tokens up to and with the first end token, at most ``limit``; say whether that cut an unfinished one."""
    for index, token in enumerate(tokens[:limit]):
        if token in eos_ids:
            return tuple(tokens[: index + 1]), False
    return tuple(tokens[:limit]), True
