"""Corrected pass rates: simulated verifiers with known error rates, and what cannot be corrected."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence.rates import Grade, Measurement, Rate
from schemas.measures.corrected import Correction, Observed, TrustLevel, correct, correct_all, observed_interval

ANY = Rate(value=None, low=0, high=1)


def audit(fp: int, negatives: int, fn: int, positives: int) -> Measurement:
    return Measurement(tp=positives - fn, fn=fn, fp=fp, tn=negatives - fp, unscored=0, fpr=ANY, fnr=ANY)


def test_the_true_rate_is_rebuilt_from_an_observed_one():
    true, fpr, fnr = 0.6, 0.05, 0.2
    observed = Observed(true * (1 - fnr) + (1 - true) * fpr, 100_000)
    found = correct(observed, audit(5000, 100_000, 20_000, 100_000))
    assert isinstance(found, Correction)
    assert found.interval.value == pytest.approx(true)
    assert found.interval.low < true < found.interval.high
    assert found.interval.high - found.interval.low < 0.02


@pytest.mark.parametrize("true", [0.0, 0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize(("fpr", "fnr"), [(0.0, 0.0), (0.01, 0.05), (0.1, 0.15)])
def test_intervals_cover_the_truth_at_least_nineteen_times_in_twenty(true, fpr, fnr):
    """The audit is drawn anew each time: the uncertainty of FPR and FNR is in the interval, not only that of the rate."""
    random, tries, cases, rounds = np.random.default_rng(0), 200, 60, 600
    hits = usable = 0
    for _ in range(rounds):
        accepted = int(random.binomial(tries, true * (1 - fnr) + (1 - true) * fpr))
        errors = audit(int(random.binomial(cases, fpr)), cases, int(random.binomial(cases, fnr)), cases)
        found = correct(Observed(accepted / tries, tries), errors)
        if isinstance(found, Correction):
            usable += 1
            hits += found.interval.low <= true <= found.interval.high
    assert usable > 0.97 * rounds  # at the edge, chance alone contradicts an audit now and then
    assert hits / usable > 0.93


def test_leaving_out_the_audits_uncertainty_would_cover_too_rarely():
    """What the correction must not do: treat the audit's rates as known."""
    random, true, fpr, fnr, tries, cases = np.random.default_rng(1), 0.3, 0.1, 0.15, 2000, 60
    hits = 0
    for _ in range(400):
        accepted = random.binomial(tries, true * (1 - fnr) + (1 - true) * fpr) / tries
        f, g = random.binomial(cases, fpr) / cases, random.binomial(cases, fnr) / cases
        half = 1.96 * (accepted * (1 - accepted) / tries) ** 0.5 / (1 - f - g)
        hits += abs((accepted - f) / (1 - f - g) - true) <= half
    assert hits < 0.7 * 400


def test_repeats_of_one_task_are_not_counted_as_independent_tries():
    """Ten tasks, each always or never solved, tried 50 times: ten tries' worth of knowledge, not 500."""
    clumped = Observed.of({task: (50 if task < 5 else 0, 50) for task in range(10)})
    alike = Observed.of({task: (25 + task % 2, 50) for task in range(10)})
    assert 7 < clumped.tries < 10, "ten tries, less what a t quantile with nine degrees of freedom takes"
    assert 40 < alike.tries < 500, "ten tasks that happen to agree do not prove that all tasks do"
    assert 2500 < Observed.of({task: (25 + task % 2, 50) for task in range(100)}).tries < 5000
    with pytest.raises(ValueError, match="at least one task"):
        Observed.of({})


def test_what_cannot_be_corrected_says_why():
    observed = Observed(0.5, 100)
    assert "nobody measured" in str(correct(observed, None))
    assert "must be rejected" in str(correct(observed, audit(0, 0, 0, 10)))
    assert "must be accepted" in str(correct(observed, audit(0, 10, 0, 0)))
    assert "better than chance" in str(correct(observed, audit(6, 10, 5, 10)))
    assert "better than chance" in str(correct(observed, audit(1, 3, 1, 3))), "three cases do not exclude a coin"


def test_several_environments_are_averaged_by_tasks_or_not_at_all():
    good = audit(0, 1000, 0, 1000)
    found = correct_all([("a", Observed(1.0, 300), 300, good), ("b", Observed(0.0, 100), 100, good)])
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(0.75)
    mixed = correct_all([("a", Observed(1.0, 300), 300, good), ("b", Observed(0.0, 100), 100, None)])
    assert (mixed.estimate, mixed.reason) == (None, "b: nobody measured its verifier")


def test_one_success_in_many_small_environments_leaves_a_rate_near_zero_possible():
    """One of 48, 12 tasks in each of four environments: Wilson's interval of the whole begins at 0.4 %."""
    good = audit(0, 300, 0, 300)
    found = correct_all(
        [(name, Observed(solved / 12, 12), 12, good) for name, solved in zip("abcd", (0, 0, 0, 1), strict=True)]
    )
    assert found.estimate.value == pytest.approx(1 / 48)
    assert found.estimate.low < 0.005
    assert found.estimate.high > 0.1


@pytest.mark.parametrize("rates", [(0.01,) * 4, (0.0, 0.0, 0.0, 0.1), (0.02, 0.05, 0.3, 0.9), (0.97,) * 6])
@pytest.mark.parametrize("tasks", [12, 60])
def test_intervals_over_several_environments_cover_the_truth(rates, tasks):
    random, covered = np.random.default_rng(7), 0
    for _ in range(300):
        parts = []
        for number, rate in enumerate(rates):
            found = audit(random.binomial(300, 0.02), 300, random.binomial(300, 0.05), 300)
            solved = random.binomial(tasks, rate * 0.95 + (1 - rate) * 0.02)
            parts.append((str(number), Observed(solved / tasks, tasks), tasks, found))
        estimate = correct_all(parts).estimate
        covered += estimate is None or estimate.low <= sum(rates) / len(rates) <= estimate.high
    assert covered >= 279  # 93 in 100


def test_estimates_lie_in_their_intervals_at_the_edges():
    for rate in (0.0, 1.0):
        plain = observed_interval(Observed(rate, 40))
        assert plain.low <= rate <= plain.high
        assert plain.high - plain.low > 0.05
        corrected = correct(Observed(rate, 40), audit(10, 100, 0, 100))
        assert isinstance(corrected, Correction)
        assert corrected.interval.low <= corrected.interval.value <= corrected.interval.high


def test_a_verifier_below_c_is_weak_and_one_without_cases_unaudited():
    said = [TrustLevel.of(grade).value for grade in (Grade.A, Grade.C, Grade.D, Grade.F, Grade.UNMEASURED, None)]
    assert said == ["measured", "measured", "weak", "weak", "unaudited", "unaudited"]


def test_what_no_true_rate_explains_is_said_and_not_drawn_at_zero():
    """Nothing was accepted in 1,000 tries, where the audit says that one wrong answer in ten passes: no 0 to 0."""
    assert "unlike" in str(correct(Observed(0.0, 1000), audit(100, 1000, 10, 1000)))
    assert "unlike" in str(correct(Observed(1.0, 1000), audit(10, 1000, 100, 1000)))


@given(
    st.floats(0, 1),
    st.integers(1, 5000),
    st.integers(0, 40),
    st.integers(0, 400),
    st.integers(0, 40),
    st.integers(0, 400),
)
def test_no_corrected_rate_has_an_empty_interval(rate, tries, fp, negatives, fn, positives):
    found = correct(Observed(rate, tries), audit(min(fp, negatives), negatives, min(fn, positives), positives))
    if isinstance(found, Correction):
        assert found.interval.low <= found.interval.value <= found.interval.high
        assert found.interval.high > found.interval.low
