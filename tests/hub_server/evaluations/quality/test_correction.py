import numpy as np
import pytest

from hub_server.evaluations.quality.correction import Counted, rogan_gladen


def test_the_true_rate_is_rebuilt_from_an_observed_one():
    true, fpr, fnr = 0.6, 0.05, 0.2
    observed = true * (1 - fnr) + (1 - true) * fpr
    found = rogan_gladen(Counted(round(observed * 100_000), 100_000), Counted(5000, 100_000), Counted(20_000, 100_000))
    assert found.value == pytest.approx(true, abs=1e-4)
    assert found.low < true < found.high
    assert found.high - found.low < 0.02


def test_intervals_cover_the_truth_about_95_times_in_100():
    random, true, fpr, fnr = np.random.default_rng(0), 0.3, 0.1, 0.15
    hits = 0
    for seed in range(200):
        accepted = random.binomial(300, true * (1 - fnr) + (1 - true) * fpr)
        found = rogan_gladen(
            Counted(int(accepted), 300),
            Counted(int(random.binomial(150, fpr)), 150),
            Counted(int(random.binomial(150, fnr)), 150),
            seed,
        )
        hits += found.low <= true <= found.high
    assert 180 <= hits <= 200


def test_a_small_audit_widens_the_interval():
    wide = rogan_gladen(Counted(50, 100), Counted(0, 10), Counted(0, 10))
    narrow = rogan_gladen(Counted(50, 100), Counted(0, 1000), Counted(0, 1000))
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_nothing_is_corrected_by_a_verifier_that_nobody_measured_or_that_guesses():
    assert rogan_gladen(Counted(5, 10), Counted(0, 0), Counted(0, 10)) is None
    assert rogan_gladen(Counted(5, 10), Counted(6, 10), Counted(5, 10)) is None
    assert rogan_gladen(Counted(0, 0), Counted(1, 10), Counted(1, 10)) is None


def test_the_estimate_lies_in_its_interval_at_the_edges():
    found = rogan_gladen(Counted(0, 100), Counted(10, 100), Counted(0, 100))
    assert found.value == found.low == 0.0
    with pytest.raises(ValueError, match="must lie in"):
        Counted(3, 2)
