"""EMPO: agreement within the group as reward, without labels. Formula only: it clusters answers' text."""

from collections import Counter
from collections.abc import Sequence


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
