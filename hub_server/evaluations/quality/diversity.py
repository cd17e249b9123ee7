"""How much of a benchmark is different: effective numbers, near-duplicates, spread over domains, small subsets."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Floats, Outcomes

_GRAM = 3
_DIMENSIONS = 4096
_SHINGLE_WORDS = 4
NEAR_DUPLICATE = 0.8
_EXCHANGES = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class NearDuplicate:
    """Two texts whose shingles overlap; ``similarity`` is their Jaccard index."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True)
class Subset:
    """Tasks whose plain mean rebuilds every model's total within ``worst_error`` (in points of 1)."""

    tasks: tuple[str, ...]
    worst_error: float


def vendi_score(similarity: Floats, order: float = 1.0) -> float:
    """The effective number of distinct items, 1 to N, from an [N, N] similarity with ones on its diagonal.

    exp of the Renyi entropy of order q of the eigenvalues of K/N. Source: Friedman & Dieng, The Vendi Score, TMLR 2023;
    orders: Pasarkar & Dieng 2023 (a small q stresses rare items, a large q frequent ones).
    """
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1] or not len(similarity):
        raise ValueError("similarity must be a square matrix")
    values = np.linalg.eigvalsh(similarity / len(similarity))
    values = values[values > 1e-12]
    if order == 1.0:
        return float(np.exp(-(values * np.log(values)).sum()))
    if math.isinf(order):
        return float(1.0 / values.max())
    return float((values**order).sum() ** (1.0 / (1.0 - order)))


def text_similarity(texts: Sequence[str]) -> Floats:
    """[N, N] cosine similarity of hashed character trigrams, damped by logarithm; identical texts have 1."""
    vectors = np.zeros((len(texts), _DIMENSIONS))
    for row, text in enumerate(texts):
        for gram, count in Counter(_grams(text)).items():
            vectors[row, _bucket(gram)] += math.log1p(count)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(norms == 0, 1.0, norms)
    matrix = vectors @ vectors.T
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(np.clip(matrix, 0.0, 1.0), dtype=np.float64)


def response_similarity(outcomes: Outcomes) -> Floats:
    """[N, N] similarity of tasks by who solves them: the correlation over models; constant tasks count as alike.

    The Vendi score of it is the effective number of different things that the benchmark measures.
    """
    rates = outcomes.complete().rates
    centred = rates - rates.mean(axis=0, keepdims=True)
    norms = np.linalg.norm(centred, axis=0)
    varies = norms > 1e-12
    unit = np.where(varies, centred / np.where(varies, norms, 1.0), 0.0)
    matrix = unit.T @ unit
    constant = ~varies
    matrix[np.ix_(constant, constant)] = 1.0
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(matrix, dtype=np.float64)


def near_duplicates(texts: Mapping[str, str], threshold: float = NEAR_DUPLICATE) -> list[NearDuplicate]:
    """Pairs of texts with a Jaccard index of word 4-shingles of at least ``threshold``, most similar first.

    Exact, and near linear for ordinary texts: only pairs that share one of their rarest shingles are compared (prefix
    filtering; Chaudhuri et al. 2006).
    """
    shingles = {name: frozenset(_shingles(text)) for name, text in texts.items()}
    frequency = Counter(shingle for members in shingles.values() for shingle in members)
    holders: dict[tuple[str, ...], list[str]] = {}
    found = []
    for name in sorted(shingles):
        ordered = sorted(shingles[name], key=lambda shingle: (frequency[shingle], shingle))
        prefix = ordered[: len(ordered) - math.ceil(threshold * len(ordered)) + 1]
        candidates = {other for shingle in prefix for other in holders.get(shingle, ())}
        for other in sorted(candidates):
            similarity = len(shingles[name] & shingles[other]) / len(shingles[name] | shingles[other])
            if similarity >= threshold:
                found.append(NearDuplicate(other, name, similarity))
        for shingle in prefix:
            holders.setdefault(shingle, []).append(name)
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def domain_entropy(labels: Iterable[str]) -> tuple[float, float]:
    """(Shannon entropy in bits of the declared domains, the same as a share of its maximum, 0 for a single domain)."""
    counts = np.array(list(Counter(labels).values()), dtype=float)
    if len(counts) < 2:
        return 0.0, 0.0
    shares = counts / counts.sum()
    entropy = float(-(shares * np.log2(shares)).sum())
    return entropy, entropy / math.log2(len(counts))


def smallest_subset(outcomes: Outcomes, tolerance: float = 0.01) -> Subset:
    """Few tasks whose mean is each model's total within ``tolerance``; found by
    adding and exchanging, so an upper bound on the smallest.

    After metabench (arXiv 2407.12844): how much of a benchmark is needed to know its result. With few models a subset
    can fit by luck: its size says little below ten models.
    """
    complete = outcomes.complete()
    rates = complete.rates
    total = rates.mean(axis=1)
    chosen: list[int] = []
    while len(chosen) < len(complete.tasks):
        _add_best(chosen, rates, total)
        for _ in range(_EXCHANGES):
            if not _exchange_best(chosen, rates, total):
                break
        worst = float(np.abs(rates[:, chosen].mean(axis=1) - total).max())
        if worst <= tolerance:
            return Subset(tuple(complete.tasks[index] for index in sorted(chosen)), worst)
    return Subset(complete.tasks, 0.0)


def _add_best(chosen: list[int], rates: Floats, total: Floats) -> None:
    """Add the task that brings the mean of the chosen ones nearest to the total."""
    running = rates[:, chosen].sum(axis=1)
    errors = (((running[:, None] + rates) / (len(chosen) + 1) - total[:, None]) ** 2).sum(axis=0)
    errors[chosen] = np.inf
    chosen.append(int(errors.argmin()))


def _exchange_best(chosen: list[int], rates: Floats, total: Floats) -> bool:
    """Make the one exchange of a chosen task for another that helps most; False when none does."""
    gap = rates[:, chosen].mean(axis=1) - total
    best, change = float((gap**2).sum()) - 1e-12, None
    for place, column in enumerate(chosen):
        errors = ((gap[:, None] + (rates - rates[:, [column]]) / len(chosen)) ** 2).sum(axis=0)
        errors[chosen] = np.inf
        candidate = int(errors.argmin())
        if errors[candidate] < best:
            best, change = float(errors[candidate]), (place, candidate)
    if change is None:
        return False
    chosen[change[0]] = change[1]
    return True


def _grams(text: str) -> Iterable[str]:
    folded = " ".join(_WORD.findall(text.casefold()))
    return (folded[start : start + _GRAM] for start in range(max(0, len(folded) - _GRAM + 1)))


def _bucket(gram: str) -> int:
    """A stable place for a trigram: Python's own hash of text changes with every process."""
    value = 0
    for char in gram:
        value = (value * 1_000_003 + ord(char)) & 0xFFFFFFFF
    return value % _DIMENSIONS


def _shingles(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < _SHINGLE_WORDS:
        return [tuple(words)] if words else []
    return [tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)]
