"""What the engine is asked, what it answers, and how a token is drawn from logits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. ``temperature`` 0 is greedy; ``top_p`` 1 and ``top_k`` 0 keep the whole vocabulary.

    With ``top_p`` or ``top_k`` the recorded log-probabilities are those of the filtered distribution, which the
    learner does not see: the importance ratio is then biased, so the defaults filter nothing.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0


@dataclass(frozen=True)
class SlotSampling:
    """The same a row, on the device: every running request may have settings of its own."""

    temperature_S: Tensor
    top_p_S: Tensor
    top_k_S: Tensor

    @classmethod
    def of(cls, settings: list[Sampling], device: torch.device) -> "SlotSampling":
        """One row for each of ``settings``."""
        return cls(
            torch.tensor([one.temperature for one in settings], dtype=torch.float32, device=device),
            torch.tensor([one.top_p for one in settings], dtype=torch.float32, device=device),
            torch.tensor([one.top_k for one in settings], dtype=torch.long, device=device),
        )


def sample(logits_SV: Tensor, sampling: SlotSampling, uniform_S: Tensor, *, filters: bool) -> tuple[Tensor, Tensor]:
    """Draw one token a row.

    Args:
        logits_SV: any number type; computed in float32.
        sampling: each row's temperature and filters.
        uniform_S: float64 in [0, 1): the row's random number. One number a token makes a sample depend on its own
            seed alone, and not on what is sampled beside it.
        filters: whether any row has ``top_p`` or ``top_k``; without, the vocabulary is not sorted.

    Returns:
        tokens_S (int64) and their log-probabilities_S (float32), after temperature and filters. Greedy
        log-probabilities are those at temperature 1.

    """
    is_greedy_S = sampling.temperature_S == 0
    scaled_SV = logits_SV.float() / torch.where(is_greedy_S, 1.0, sampling.temperature_S)[:, None]
    if filters:
        scaled_SV = _filtered(scaled_SV, sampling)
    logprobs_SV = scaled_SV.log_softmax(-1)
    # Inverse transform in float64: the first token whose cumulative probability exceeds the random number.
    cumulative_SV = logprobs_SV.exp().cumsum(-1, dtype=torch.float64)
    drawn_S = torch.searchsorted(cumulative_SV, (uniform_S * cumulative_SV[:, -1])[:, None], right=True)[:, 0]
    tokens_S = torch.where(is_greedy_S, logprobs_SV.argmax(-1), drawn_S)
    return tokens_S, logprobs_SV.gather(-1, tokens_S[:, None])[:, 0]


def _filtered(logits_SV: Tensor, sampling: SlotSampling) -> Tensor:
    """Put -inf outside the top k and outside the smallest nucleus of ``top_p`` (which keeps the crossing token)."""
    width = logits_SV.shape[-1]
    ordered_SV, order_SV = logits_SV.sort(dim=-1, descending=True)
    most_S = torch.where(sampling.top_k_S > 0, sampling.top_k_S, width)
    outside_SV = torch.arange(width, device=logits_SV.device) >= most_S[:, None]
    probabilities_SV = ordered_SV.masked_fill(outside_SV, float("-inf")).softmax(-1)
    outside_SV |= probabilities_SV.cumsum(-1) - probabilities_SV >= sampling.top_p_S[:, None]
    outside_SV[:, 0] = False
    return logits_SV.masked_fill(torch.zeros_like(outside_SV).scatter(-1, order_SV, outside_SV), float("-inf"))


@dataclass(frozen=True)
class Generated:
    """One finished completion. ``logprobs`` are the sampler's own, float32, after temperature, one a token.

    ``tokens`` end with an end-of-turn token unless ``truncated``.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    truncated: bool


@dataclass(frozen=True, eq=False)
class GenerationRequest:
    """Continue ``prompt`` (token ids) by at most ``limit`` tokens.

    ``seed`` alone decides which random numbers are used, whatever runs beside it. ``after`` is the request whose
    sequence this one continues: the engine then goes on from that one's keys and values, where it still has them.
    ``progress`` is told the tokens so far at every look; ``is_wanted`` is asked then, and ends the request if false.
    """

    prompt: tuple[int, ...]
    limit: int
    sampling: Sampling
    seed: int
    after: "GenerationRequest | None" = None
    progress: Callable[[Sequence[int]], None] | None = None
    is_wanted: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if not self.prompt:
            raise ValueError("a prompt without tokens cannot be continued")
        if self.limit < 1:
            raise ValueError("a completion has at least one token")


def cut_at_end(tokens: Sequence[int], eos_ids: Sequence[int], limit: int) -> tuple[tuple[int, ...], bool]:
    """Keep tokens up to and with the first end token, at most ``limit``; say whether that cut an unfinished one."""
    for index, token in enumerate(tokens[:limit]):
        if token in eos_ids:
            return tuple(tokens[: index + 1]), False
    return tuple(tokens[:limit]), True
