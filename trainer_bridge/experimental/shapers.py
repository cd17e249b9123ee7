"""Utilities from agreement, from preference and from length."""

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

# EMPO: agreement within the group as reward, without labels. Formula only: it clusters answers' text


def empo(answers: Sequence[str | None]) -> list[float]:
    """p_c = share of the group that gave the same answer, 0 for an unparsable one; all 0 at maximal entropy.

    As in the official code an unparsable answer is a cluster of its own in the entropy. Source: arXiv 2504.05812 [A].
    Majority reward can entrench wrong answers.
    """
    total = len(answers)
    sizes = Counter(answer for answer in answers if answer is not None)
    if len(sizes) + sum(answer is None for answer in answers) == total:  # H = log G, by counting and not by rounding
        return [0.0] * total
    return [0.0 if answer is None else sizes[answer] / total for answer in answers]


# PAR: a reward model's score against reference responses. Formula only: references come with the reward model


def par(reward_B: Tensor, reference_BM: Tensor, k: float = 1.0) -> Tensor:
    """Mean over references of sigmoid(k (r - r_ref)): bounded, steepest at the reference.

    Source: arXiv 2502.18770, PAR [A]; M = 10 references (1 suffices), k = 1.
    """
    return torch.sigmoid(k * (reward_B[:, None] - reference_BM)).mean(-1)


# PEAR: thinking should not be more uncertain than answering. Formula only: it takes per-phase entropies


def pear(right: bool, thinking: Tensor, answer: Tensor, alpha: float = 1.0, format_reward: float = 0.0) -> float:
    """min(1, 1 - P) if right, else ``format_reward``; P = max(0, mean H(thinking) - a mean H(answer)).

    With no answer phase its mean is 0. Source: arXiv 2510.08026 [C].
    """
    if not right:
        return format_reward
    answer_mean = float(answer.mean()) if len(answer) else 0.0
    return min(1.0, 1.0 - max(0.0, float(thinking.mean()) - alpha * answer_mean))
