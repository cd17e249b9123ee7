"""The simulation of the whole path: its draws have the rates that they claim, and a short run of it holds."""

from dataclasses import replace

import numpy as np
import pytest

from schemas.evidence.cases import Label, Origin
from schemas.evidence.rates import Grade
from scripts.simulate_grades import (
    RATES,
    Shape,
    chances,
    counted,
    drawn,
    line,
    measured,
    shapes,
    simulate,
    sizes,
    with_easy_ones,
)

SHAPE = Shape(20, 0.3, (0.035, 0.11), is_unequal=True, is_graded=False)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("alike", [0.1, 0.5])
def test_clusters_have_the_rate_and_the_correlation_that_are_wanted(rate: float, alike: float) -> None:
    random = np.random.default_rng(1)
    found = np.concatenate([chances(random, 400, rate, alike) for _ in range(400)])
    assert found.mean() == pytest.approx(rate, rel=0.06)
    assert found.var() / (rate * (1 - rate)) == pytest.approx(alike, rel=0.12)
    assert found.min() >= 0
    assert found.max() <= 1


def test_sizes_are_equal_or_far_apart() -> None:
    random = np.random.default_rng(1)
    assert set(sizes(random, replace(SHAPE, is_unequal=False))) == {10}
    unequal = sizes(random, SHAPE)
    assert (len(unequal), min(unequal) >= 1) == (20, True)
    assert max(unequal) > 5 * sorted(unequal)[5]


def test_the_errors_of_a_draw_are_those_that_the_report_counts() -> None:
    cases, judge = drawn(np.random.default_rng(3), SHAPE)
    wrong = sum(
        (judge.rewards[case.response or ""] >= 0.5) != (case.label is Label.CORRECT) for case in cases
    )  # fmt: skip
    report = measured(np.random.default_rng(3), SHAPE, is_diluted=False)
    assert report.overall.fp + report.overall.fn == wrong > 0
    assert report.overall.fpr.clusters == report.overall.fnr.clusters == 20, "no other likeness is found"
    assert len({case.origin for case in cases}) >= 4


def test_the_authors_easy_cases_are_in_no_rate_of_the_evidence() -> None:
    cases, judge = drawn(np.random.default_rng(3), SHAPE)
    more = with_easy_ones(cases, judge)
    assert {case.origin for case in more[len(cases) :]} == {Origin.AUTHOR}
    plain, diluted = (
        counted(measured(np.random.default_rng(3), SHAPE, is_diluted=one), SHAPE) for one in (False, True)
    )  # fmt: skip
    assert (plain.held, plain.held_above) == (diluted.held, diluted.held_above)


def test_a_letter_that_is_too_good_is_counted_and_a_hollow_one_apart() -> None:
    report = measured(np.random.default_rng(3), SHAPE, is_diluted=False)
    assert report.grading is not None
    good = report.model_copy(update={"grade": Grade.A})
    hollow = good.model_copy(update={"grading": report.grading.model_copy(update={"is_hollow": True})})
    unrated = report.model_copy(update={"grade": Grade.UNMEASURED})
    found = [counted(one, SHAPE) for one in (good, hollow, unrated)]
    assert [(one.better, one.hollow_better, one.unrated) for one in found] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_a_short_run_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    few = list(shapes())
    assert len(few) == 192
    assert {(one.is_unequal, one.is_graded) for one in few} == {(a, b) for a in (True, False) for b in (True, False)}
    monkeypatch.setattr("scripts.simulate_grades.shapes", lambda: [one for one in few if one.clusters == 20])
    found = simulate(1)
    assert {key[0] for key in found} == {20}
    rates, held, above = (sum(getattr(one, name) for one in found.values()) for name in ("rates", "held", "held_above"))
    assert rates == 96
    assert held >= 0.93 * rates
    assert above >= 0.95 * rates
    assert sum(one.better for one in found.values()) <= 2
    assert "rates: " in line("all", found[20, 0.3])
