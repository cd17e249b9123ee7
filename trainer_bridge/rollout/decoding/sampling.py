"""How a token is drawn: temperature, top-k and top-p, and one random number a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. ``temperature`` 0 is greedy; ``top_p`` 1 and ``top_k`` 0 keep the whole vocabulary.

    With ``top_p`` or ``top_k`` the recorded log-probabilities are those of the filtered distribution. The learner uses
    the unfiltered one, so the importance ratio is biased. The defaults filter nothing.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0


class Ways(NamedTuple):
    """What some rows of a batch need beyond a plain draw: ``filters`` (top-k or top-p), and ``greedy`` answers."""

    filters: bool
    greedy: bool

    @classmethod
    def of(cls, settings: Sequence[Sampling]) -> Self:
        """Of rows with these settings. The rows of a round mostly share one object, which is looked at once."""
        several = {id(one): one for one in settings}.values()
        return cls(any(one.top_k > 0 or one.top_p < 1 for one in several), any(one.temperature == 0 for one in several))


@dataclass(frozen=True)
class SlotSampling:
    """The settings of each row as tensors on the device: every running request may have its own."""

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


def sample(
    logits_SV: Tensor, sampling: SlotSampling, uniform_S: Tensor, *, filters: bool, greedy: bool
) -> tuple[Tensor, Tensor]:
    """Draw one token for each row.

    Args:
        logits_SV: any number type; computed in float32.
        sampling: each row's temperature and filters.
        uniform_S: float64 in [0, 1): the row's random number. With one number for each token, a sample depends only on
        its own seed and not on the other samples.
        filters: whether any row has ``top_p`` or ``top_k``. If not, the vocabulary need not be sorted.
        greedy: whether any row has temperature 0. If not, no row's likeliest token need be found.

    Returns:
        tokens_S (int64) and their log-probabilities_S (float32), after temperature and filters. Greedy
        log-probabilities are those at temperature 1.

    """
    is_greedy_S = sampling.temperature_S == 0
    scaled_SV = logits_SV.float() / torch.where(is_greedy_S, 1.0, sampling.temperature_S)[:, None]
    if filters:
        scaled_SV = _filtered(scaled_SV, sampling)
    scaled_SV.sub_(scaled_SV.amax(-1, keepdim=True))
    likeliest_S = scaled_SV.argmax(-1) if greedy else None
    weights_SV = scaled_SV.exp()
    tokens_S, total_S = _drawn(weights_SV, uniform_S)
    if likeliest_S is not None:
        tokens_S = torch.where(is_greedy_S, likeliest_S, tokens_S)
    return tokens_S, scaled_SV.gather(-1, tokens_S[:, None])[:, 0] - total_S.log().float()


_BLOCK = 256


def _drawn(weights_SV: Tensor, uniform_S: Tensor) -> tuple[Tensor, Tensor]:
    """The first token of each row at which the cumulative weight exceeds ``uniform_S`` times the total; and the total.

    First the block of tokens is found, by float64 sums of the blocks' float32 sums, and then the token in it: a
    cumulative sum over the whole vocabulary took most of the time of drawing on a CPU, and float64 sums in the blocks
    an eighth of generation. A token of weight 0 is never drawn.
    """
    rest = -weights_SV.shape[-1] % _BLOCK
    blocks_SBW = (functional.pad(weights_SV, (0, rest)) if rest else weights_SV).unflatten(-1, (-1, _BLOCK))
    ends_SB = blocks_SBW.sum(-1).cumsum(-1, dtype=torch.float64)
    target_S1 = (uniform_S * ends_SB[:, -1])[:, None]
    block_S1 = torch.searchsorted(ends_SB, target_S1, right=True).clamp(max=ends_SB.shape[-1] - 1)
    before_S1 = functional.pad(ends_SB, (1, 0)).gather(-1, block_S1)
    inside_SW = blocks_SBW.gather(1, block_S1[..., None].expand(-1, -1, _BLOCK))[:, 0].cumsum(-1, dtype=torch.float64)
    # Both sums of a block round by themselves: what is left must stay below the second one.
    rest_S1 = torch.minimum(target_S1 - before_S1, inside_SW[:, -1:] * (1 - 2**-53))
    tokens_S = (block_S1 * _BLOCK + torch.searchsorted(inside_SW, rest_S1, right=True))[:, 0]
    return tokens_S, ends_SB[:, -1]


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
