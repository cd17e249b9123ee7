"""The unbiased pass@k estimator."""

from math import comb


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """1 - C(n - c, k) / C(n, k). Raises ValueError if k > n: it cannot be estimated from so few."""
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k} needs at least {k} samples a task; there are {samples}")
    return 1.0 - comb(samples - correct, k) / comb(samples, k)
