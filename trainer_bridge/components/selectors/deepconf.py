"""DeepConf: trust traces by the model's own token confidence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
