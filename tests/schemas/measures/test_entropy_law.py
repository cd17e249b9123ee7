"""The law of reward and entropy is found again in points made by it."""

import math

import numpy as np
import pytest

from schemas.measures.entropy_law import fit_entropy_law

ENTROPIES = [2.0, 1.5, 1.0, 0.7, 0.4, 0.2]


def test_the_law_is_recovered_with_its_ceiling():
    law = fit_entropy_law([(entropy, 0.85 - 0.15 * math.exp(entropy)) for entropy in ENTROPIES])
    assert (law.a, law.b, law.ceiling) == pytest.approx((0.15, 0.85, 0.70))
    assert law.explained == pytest.approx(1)
    assert law.at(0.0) == pytest.approx(law.ceiling)


def test_the_fit_is_numpys_least_squares():
    random = np.random.default_rng(0)
    rewards = [0.8 - 0.1 * math.exp(entropy) + random.normal(0, 0.05) for entropy in ENTROPIES]
    law = fit_entropy_law(list(zip(ENTROPIES, rewards, strict=True)))
    slope, intercept = np.polyfit(np.exp(ENTROPIES), rewards, 1)
    assert (law.a, law.b) == pytest.approx((-slope, intercept))
    assert law.explained == pytest.approx(np.corrcoef(np.exp(ENTROPIES), rewards)[0, 1] ** 2)


def test_too_few_points_or_no_change_say_nothing():
    assert fit_entropy_law([(1.0, 0.1), (0.5, 0.2)]) is None
    assert fit_entropy_law([(1.0, 0.1 * step) for step in range(8)]) is None
    assert fit_entropy_law([(entropy, 0.5) for entropy in ENTROPIES]) is None


@pytest.mark.parametrize("odd", [(1000.0, 0.5), (-1000.0, 0.5), (float("nan"), 0.5), (1.0, float("inf"))])
def test_numbers_that_no_entropy_has_give_no_law_and_no_crash(odd):
    """A run's metrics are sent by its owner: e^1000 has no float, and a page must not fail on it."""
    good = [(entropy, 0.8 - 0.1 * entropy) for entropy in ENTROPIES]
    assert fit_entropy_law(good) is not None
    assert fit_entropy_law([*good, odd]) is None
