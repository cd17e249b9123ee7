"""PEAR: thinking should not be more uncertain than answering. Formula only: it takes per-phase entropies."""

from torch import Tensor


def pear(right: bool, thinking: Tensor, answer: Tensor, alpha: float = 1.0, format_reward: float = 0.0) -> float:
    """min(1, 1 - P) if right, else ``format_reward``; P = max(0, mean H(thinking) - a mean H(answer)).

    With no answer phase its mean is 0. Source: arXiv 2510.08026 [C].
    """
    if not right:
        return format_reward
    answer_mean = float(answer.mean()) if len(answer) else 0.0
    return min(1.0, 1.0 - max(0.0, float(thinking.mean()) - alpha * answer_mean))
