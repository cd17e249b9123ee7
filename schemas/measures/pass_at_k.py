"""The chance that at least one of k answers is right."""

import math


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """Chance that at least one of ``k`` tries succeeds, from ``successes`` in ``attempts`` (unbiased).

    1 - C(n-c, k) / C(n, k). Source: Chen et al., Evaluating Large Language Models Trained on Code, 2021.

    Raises:
        ValueError: ``k`` is larger than ``attempts``, from which it cannot be estimated, or the counts are impossible.

    """
    if not 0 <= successes <= attempts or not 1 <= k <= attempts:
        raise ValueError(f"need 0 <= successes <= attempts and 1 <= k <= attempts, not {successes}, {attempts}, k={k}")
    return 1.0 - math.comb(attempts - successes, k) / math.comb(attempts, k)
