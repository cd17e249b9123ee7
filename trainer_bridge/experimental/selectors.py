"""Choosing among several answers at test time: votes, confidence, a judge."""

import random
import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# One answer from many: majority, weighted, best by verifier


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


# DeepConf: trust traces by the model's own token confidence


Floats = NDArray[np.float64]


def token_confidence(top_logprobs_TK: Floats) -> Floats:
    """C_t = -(mean log-probability of the k likeliest tokens), k = 20. Source: arXiv 2508.15260, deepconf [A].

    The official code rounds to three decimals; this does not.
    """
    confidence_T: Floats = -top_logprobs_TK.mean(axis=-1)
    return confidence_T


def window_means(confidence_T: Floats, window: int = 2048) -> Floats:
    """Sliding means; a trace shorter than the window has one, of all of it."""
    if len(confidence_T) < window:
        return np.array([confidence_T.mean()])
    return np.convolve(confidence_T, np.ones(window) / window, mode="valid")


def trace_score(confidence_T: Floats, kind: str = "bottom", window: int = 2048, share: float = 0.1) -> float:
    """``kind``: mean, tail (last window of tokens), min (worst window), bottom (mean of the worst tenth of them)."""
    if kind == "mean":
        return float(confidence_T.mean())
    if kind == "tail":
        return float(confidence_T[-window:].mean())
    means = np.sort(window_means(confidence_T, window))
    if kind == "min":
        return float(means[0])
    if kind == "bottom":
        return float(means[: max(1, int(share * len(means)))].mean())
    raise ValueError(f"kind {kind!r} is none of mean, tail, min, bottom")


def keep_confident(scores: Sequence[float], eta: float) -> list[int]:
    """Traces at or above percentile 100 - eta (offline: keep the best eta percent, then vote by confidence)."""
    threshold = stop_threshold(scores, eta)
    return [index for index, score in enumerate(scores) if score >= threshold]


def stop_threshold(warm_up_scores: Sequence[float], eta: float) -> float:
    """Percentile 100 - eta of warm-up minima; online, a trace whose latest full window falls below it is stopped."""
    return float(np.percentile(np.asarray(warm_up_scores), 100 - eta))


# GenSelect: a model reads numbered solutions and names the best


_JUDGEMENT = re.compile(r"Judg[e]?ment: (\d+)")
_NEW_SOLUTION = re.compile(r"<NEW_SOLUTION>(.*?)</NEW_SOLUTION>", re.DOTALL)


def selection_prompt(question: str, solutions: Sequence[str]) -> str:
    """The prompt that shows every solution with its index, 0 first."""
    shown = "\n\n".join(f"Solution {index}:\n{solution}" for index, solution in enumerate(solutions))
    return (
        f"Problem:\n{question}\n\n{shown}\n\nCompare the solutions above step by step and choose the best one. "
        'End with one line "Judgment: N", N its number.'
    )


def parse_selection(text: str, largest: int) -> int | None:
    """The last judgement's index, or None if there is none in 0..largest. Source: arXiv 2507.17797, NeMo-Skills [A]."""
    found = _JUDGEMENT.findall(text)
    return int(found[-1]) if found and int(found[-1]) <= largest else None


def parse_synthesis(text: str) -> str | None:
    """GenSynthesis: the last <NEW_SOLUTION> block."""
    found = _NEW_SOLUTION.findall(text)
    return found[-1].strip() if found else None


def select_or_guess(text: str, count: int, seed: int) -> tuple[int, bool]:
    """The judged index, or a random one flagged unsuccessful."""
    chosen = parse_selection(text, count - 1)
    if chosen is not None:
        return chosen, True
    return random.Random(seed).randrange(count), False  # noqa: S311 -- no secret


def windows(
    count: int, size: int = 8, longest: int = 16384, lengths: Sequence[int] | None = None, seed: int = 0
) -> list[list[int]]:
    """Shuffled windows of at most ``size`` solutions, empty ones and those over ``longest`` characters left out."""
    usable = [index for index in range(count) if lengths is None or 0 < lengths[index] <= longest]
    random.Random(seed).shuffle(usable)  # noqa: S311 -- no secret
    return [usable[start : start + size] for start in range(0, len(usable), size)]
