"""From logits to a token and its log-probability."""

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


def sample(logits_SV: Tensor, sampling: Sampling, generator: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """Draw one token a row.

    Args:
        logits_SV: any number type; computed in float32.
        sampling: temperature and filters.
        generator: source of randomness; unused when greedy.

    Returns:
        tokens_S (int64) and their log-probabilities_S (float32), after temperature and filters. Greedy
        log-probabilities are those at temperature 1.

    """
    scaled_SV = logits_SV.float()
    if sampling.temperature == 0:
        logprobs_SV = scaled_SV.log_softmax(-1)
        tokens_S = logprobs_SV.argmax(-1)
    else:
        logprobs_SV = _filtered(scaled_SV / sampling.temperature, sampling).log_softmax(-1)
        # Exponential race: argmax of p / Exp(1) is a draw from p, and one pass cheaper than torch.multinomial.
        race_SV = torch.empty_like(logprobs_SV).exponential_(generator=generator)
        tokens_S = (logprobs_SV - race_SV.log()).argmax(-1)
    return tokens_S, logprobs_SV.gather(-1, tokens_S[:, None])[:, 0]


def _filtered(logits_SV: Tensor, sampling: Sampling) -> Tensor:
    """Put -inf outside the top k and outside the smallest nucleus of ``top_p`` (which keeps the crossing token)."""
    if sampling.top_k > 0:
        least_S = logits_SV.topk(min(sampling.top_k, logits_SV.shape[-1]), dim=-1).values[:, -1:]
        logits_SV = logits_SV.masked_fill(logits_SV < least_S, float("-inf"))
    if sampling.top_p < 1:
        ordered_SV, order_SV = logits_SV.sort(dim=-1, descending=True)
        probabilities_SV = ordered_SV.softmax(-1)
        outside_SV = probabilities_SV.cumsum(-1) - probabilities_SV >= sampling.top_p
        logits_SV = logits_SV.masked_fill(outside_SV.scatter(-1, order_SV, outside_SV), float("-inf"))
    return logits_SV
