"""One answer from many: majority, weighted, best by verifier."""

from collections import defaultdict
from collections.abc import Sequence


def majority_vote(answers: Sequence[str | None]) -> str | None:
    """The commonest parsed answer; ties go to the one seen first; None if none was parsed."""
    return weighted_vote(answers, [1.0] * len(answers))


def weighted_vote(answers: Sequence[str | None], weights: Sequence[float]) -> str | None:
    """The answer with the largest total weight; ties go to the one seen first."""
    totals: dict[str, float] = defaultdict(float)
    for answer, weight in zip(answers, weights, strict=True):
        if answer is not None:
            totals[answer] += weight
    return max(totals, key=lambda answer: totals[answer]) if totals else None


def best_of_n(utilities: Sequence[float | None]) -> int | None:
    """Index of the highest judged utility; the first of equals; None if nothing was judged."""
    judged = [(value, -index) for index, value in enumerate(utilities) if value is not None]
    return -max(judged)[1] if judged else None
