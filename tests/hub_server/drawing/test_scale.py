"""The axis, the thickness of evidence, and the interval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from hub_server.drawing import scale
from sandbox.audit.statistics import grade_of as audit_grade
from schemas.audit import Grade
from tests.hub_server.drawing.measurements import measured


@pytest.mark.parametrize(
    ("share", "x"), [(0, 0), (0.001, 0.10), (0.01, 0.215), (0.03, 0.31), (0.1, 0.46), (0.3, 0.67), (1, 1)]
)
def test_places_are_those_of_the_visual_language(share: float, x: float) -> None:
    assert scale.place(share) == pytest.approx(x, abs=0.006)


def test_rates_stand_on_their_own_side_of_zero() -> None:
    assert scale.across(0.01, "left") == pytest.approx(39.23, abs=0.005)
    assert scale.across(0.01, "right") == pytest.approx(60.77, abs=0.005)
    assert scale.across(0, "left") == scale.across(0, "right") == 50


@pytest.mark.parametrize(("cases", "pixels"), [(0, 3), (1, 3), (10, 3), (100, 6), (1000, 9), (10**6, 12)])
def test_more_cases_are_thicker(cases: int, pixels: float) -> None:
    assert scale.thickness(cases) == pytest.approx(pixels)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counted: tuple[int, int]) -> None:
    wrong, cases = counted
    low, high = proportion_confint(wrong, cases, method="wilson")
    rate = scale.wilson(wrong, cases)
    assert rate.low == pytest.approx(low, abs=1e-9)
    assert rate.high == pytest.approx(high, abs=1e-9)


def test_no_case_means_anything_between_none_and_all() -> None:
    rate = scale.wilson(0, 0)
    assert (rate.value, rate.low, rate.high) == (None, 0, 1)
    assert scale.grade_of(None) is Grade.UNMEASURED


def test_one_side_alone_earns_no_grade() -> None:
    assert scale.grade_of(measured(0, 4000, 0, 0)) is Grade.UNMEASURED


@given(st.integers(1, 3000), st.integers(1, 3000), st.data())
def test_slices_are_graded_like_audits(right: int, wrong: int, data: st.DataObject) -> None:
    measurement = measured(data.draw(st.integers(0, right)), right, data.draw(st.integers(0, wrong)), wrong)
    assert scale.grade_of(measurement) == audit_grade(measurement)
