"""Intervals over alike cases against other generators than the one they were tuned on.

``two-point``: a verifier is wholly wrong on some forms and equally good on the others. ``copula``: a normal threshold.
``beta``: the usual one, here with clusters of unlike size. ``logit_normal``: each form has a difficulty on the scale of
log odds, as in item-response models. All with an intraclass correlation of 0.3.
"""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from schemas.measures.clusters import cluster_share
from schemas.measures.intervals import wilson

ALIKE, DRAWS, SEED = 0.3, 300, 7
RATES = (0.01, 0.1, 0.3)
LEAST = 0.92
"""With 600 draws each of these holds at least 0.93; of 300 draws of a true 0.945, one set in twenty falls below 0.925."""


def beta(random, rate, count):
    spread = 1 / ALIKE - 1
    return random.beta(rate * spread, (1 - rate) * spread, count)


def two_point(random, rate, count):
    odds = ALIKE * rate / (1 - rate)
    whole = odds / (1 + odds)
    return np.where(random.random(count) < whole, 1.0, 1 - (1 - rate) / (1 - whole))


def copula(random, rate, count):
    points, cut = np.linspace(-8, 8, 801), norm.ppf(rate)
    weights = norm.pdf(points) / norm.pdf(points).sum()

    def chances(latent, at):
        return norm.cdf((cut + np.sqrt(latent) * at) / np.sqrt(1 - latent))

    def excess(latent):
        return (weights * (chances(latent, points) - rate) ** 2).sum() - ALIKE * rate * (1 - rate)

    return chances(brentq(excess, 1e-6, 0.999), random.standard_normal(count))


@cache
def difficulties(rate):
    """Mean and spread of the log odds of an error, for the rate and the correlation."""
    points = np.linspace(-6, 6, 401)
    weights = norm.pdf(points) / norm.pdf(points).sum()

    def chances(mean, spread):
        return expit(mean + spread * points)

    def mean_of(spread):
        return brentq(lambda mean: (weights * chances(mean, spread)).sum() - rate, -400, 400)

    def excess(spread):
        return (weights * (chances(mean_of(spread), spread) - rate) ** 2).sum() - ALIKE * rate * (1 - rate)

    spread = brentq(excess, 0.05, 30)
    return mean_of(spread), spread


def logit_normal(random, rate, count):
    mean, spread = difficulties(rate)
    return expit(mean + spread * random.standard_normal(count))


def sizes(random, shape, count, each):
    if shape == "equal":
        return np.full(count, each)
    if shape == "one large":  # half of all cases are one form's
        return np.array([each * count // 2] + [max(1, each // 2)] * (count - 1))
    drawn = random.lognormal(0, 1, count)
    return np.maximum(1, np.round(drawn / drawn.mean() * each)).astype(int)


def coverage(make, shape, count, each, rate):
    """The share of draws whose interval holds the rate, and the share whose upper end lies below it."""
    random, held, below = np.random.default_rng(SEED), 0, 0
    for _ in range(DRAWS):
        many = sizes(random, shape, count, each)
        errors = random.binomial(many, make(random, rate, count))
        found = cluster_share(list(zip(errors.tolist(), many.tolist(), strict=True)))
        low, high = wilson(min(found.share * found.tries, found.tries), found.tries)
        held += low <= rate <= high
        below += high < rate
    return held / DRAWS, below / DRAWS


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("count", "each"), [(20, 20), (50, 10), (50, 20)])
@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (two_point, "equal"),
        (two_point, "lognormal"),
        (copula, "equal"),
        (beta, "one large"),
        (logit_normal, "equal"),
        (logit_normal, "lognormal"),
        (logit_normal, "one large"),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_the_interval_holds_the_truth(make, shape, count, each, rate):
    held, below = coverage(make, shape, count, each, rate)
    assert held >= LEAST
    assert below <= 0.05, "the upper end, which is graded"


def test_forms_that_are_wholly_wrong_and_were_not_drawn_are_allowed_for():
    """50 forms of 20 with 7 % of errors spread over them earned an upper end of 8.8 %: one sample in six of a true 10 %
    looks like that, with 3 % of the forms wholly wrong.
    """
    spread = cluster_share([(1, 20)] * 30 + [(2, 20)] * 20)
    assert wilson(spread.share * spread.tries, spread.tries)[1] > 0.11
    singles = cluster_share([(1, 1)] * 70 + [(0, 1)] * 930)
    assert singles.tries == 1000, "where no case has a like nothing changes"
    right = cluster_share([(19, 20)] * 30 + [(18, 20)] * 20)
    assert right.tries == pytest.approx(spread.tries), "the same at the other end"
