"""How varied a benchmark is: effective numbers, near-duplicates, spread over domains."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Floats, Outcomes, groups_of, jackknife
from schemas.measures.intervals import Interval, wilson

_GRAM = 3
_DIMENSIONS = 4096
_SHINGLE_WORDS = 4
NEAR_DUPLICATE = 0.8
_GROUPS = 10
_ROUNDING = 1e-9
_TOKEN = re.compile(r"\w+|[^\w\s.,;:!?'\"()\[\]{}]")
"""A word, or a sign that is no punctuation: 3 + 4 and 3 - 4 are two tasks."""


@dataclass(frozen=True)
class NearDuplicate:
    """Two texts whose shingles overlap; ``similarity`` is their Jaccard index."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True)
class Spread:
    """How evenly tasks fall into domains: Shannon entropy in bits, its share of the maximum, tasks by domain."""

    bits: Interval
    evenness: float
    counts: dict[str, int]


def vendi_score(similarity: Floats, order: float = 1.0) -> float:
    """The effective number of distinct items, 1 to N, from an [N, N] similarity with ones on its diagonal.

    exp of the Renyi entropy of order q of the eigenvalues of K/N. Source: Friedman & Dieng, The Vendi Score, TMLR 2023;
    orders: Pasarkar & Dieng 2023 (a small q stresses rare items, a large q frequent ones).
    """
    if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1] or not len(similarity):
        raise ValueError("similarity must be a square matrix")
    return _effective_number(np.asarray(np.linalg.eigvalsh(similarity / len(similarity)), dtype=np.float64), order)


def _effective_number(values: Floats, order: float = 1.0) -> float:
    """The exponential of the Renyi entropy of eigenvalues that add up to 1."""
    values = values[values > 1e-12]
    if order == 1.0:
        return float(np.exp(-(values * np.log(values)).sum()))
    if math.isinf(order):
        return float(1.0 / values.max())
    return float((values**order).sum() ** (1.0 / (1.0 - order)))


def text_similarity(texts: Sequence[str]) -> Floats:
    """[N, N] cosine similarity of hashed character trigrams, damped by logarithm; identical texts have 1.

    Case, white space and punctuation aside.
    """
    vectors = np.zeros((len(texts), _DIMENSIONS))
    for row, text in enumerate(texts):
        for gram, count in Counter(_grams(text)).items():
            vectors[row, _bucket(gram)] += math.log1p(count)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(norms == 0, 1.0, norms)
    matrix = vectors @ vectors.T
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(np.clip(matrix, 0.0, 1.0), dtype=np.float64)


def text_diversity(texts: Sequence[str]) -> Interval:
    """The Vendi score of tasks by their text, with a jackknife interval over tasks.

    Raises:
        ValueError: there is no text.

    """
    if not texts:
        raise ValueError("a number of different texts needs at least one text")
    similarity = text_similarity(texts)
    parts = groups_of(len(texts), _GROUPS)
    without = [np.delete(np.delete(similarity, part, axis=0), part, axis=1) for part in parts if len(part) < len(texts)]
    return jackknife(vendi_score(similarity), [vendi_score(one) for one in without], low=1.0, high=float(len(texts)))


def response_diversity(outcomes: Outcomes) -> Interval:
    """The Vendi score of tasks by who solves them: how many different things the benchmark measures.

    The similarity of two tasks is the correlation of their pass rates over models; tasks that all models solve equally
    often are alike. With few models there cannot be many: at most one less than models, and one for the constant tasks.
    The interval is a jackknife over tasks.
    """
    rates = outcomes.complete().rates
    count = rates.shape[1]
    parts = groups_of(count, _GROUPS)
    without = [_behavioural_number(np.delete(rates, part, axis=1)) for part in parts if len(part) < count]
    return jackknife(_behavioural_number(rates), without, low=1.0, high=float(count))


def _behavioural_number(rates: Floats) -> float:
    """From the [models, models] Gram matrix, whose eigenvalues are those of the [tasks, tasks] one."""
    centred = rates - rates.mean(axis=0, keepdims=True)
    norms = np.linalg.norm(centred, axis=0)
    varies = norms > 1e-12
    unit = centred[:, varies] / norms[varies]
    values = np.linalg.eigvalsh(unit @ unit.T / rates.shape[1])
    return _effective_number(np.append(values, (~varies).sum() / rates.shape[1]))


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


def domain_entropy(labels: Sequence[str], draws: int = 1000, seed: int = 0) -> Spread:
    """Shannon entropy of the domains that tasks declare (one label a task), in bits.

    The interval is a basic bootstrap (the plain one lies low), up to log2 of the domains seen. Where the tasks are
    spread evenly, its lower end is the plain one's. Where all tasks share one domain, draws cannot vary: its upper end
    is the entropy if as many tasks as Wilson's interval of 0 in N allows were of one other domain.

    Raises:
        ValueError: there is no task.

    """
    if not labels:
        raise ValueError("the spread over domains needs at least one task")
    counts = Counter(labels)
    if len(counts) == 1:
        other = min(wilson(0, len(labels))[1], 0.5)
        return Spread(Interval(value=0.0, low=0.0, high=_bits(np.array([other, 1 - other]))), 0.0, dict(counts))
    shares = np.array(list(counts.values()), dtype=float) / len(labels)
    bits, most = _bits(shares), math.log2(len(counts))
    drawn = np.random.default_rng(seed).multinomial(len(labels), shares, size=draws) / len(labels)
    low, high = np.quantile([_bits(one) for one in drawn], (0.025, 0.975))
    down = 2 * bits - float(high)
    if down >= bits - _ROUNDING:  # evenly spread: no draw has more bits, so nothing is mirrored below
        down = float(low)
    found = Interval(value=bits, low=max(0.0, min(down, bits)), high=max(min(most, 2 * bits - float(low)), bits))
    return Spread(found, bits / most, dict(counts.most_common()))


def _bits(shares: Floats) -> float:
    known = shares[shares > 0]
    return float(-(known * np.log2(known)).sum()) + 0.0


def _grams(text: str) -> Iterable[str]:
    folded = " ".join(_TOKEN.findall(text.casefold())) or text.strip()
    if 0 < len(folded) < _GRAM:
        return (folded,)
    return (folded[start : start + _GRAM] for start in range(max(0, len(folded) - _GRAM + 1)))


def _bucket(gram: str) -> int:
    """A stable place for a trigram: Python's own hash of text changes with every process."""
    value = 0
    for char in gram:
        value = (value * 1_000_003 + ord(char)) & 0xFFFFFFFF
    return value % _DIMENSIONS


def _shingles(text: str) -> list[tuple[str, ...]]:
    words = _TOKEN.findall(text.casefold())
    if len(words) < _SHINGLE_WORDS:
        return [tuple(words)] if words else []
    return [tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)]
