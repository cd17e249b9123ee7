"""The axis, the thickness of evidence, and the interval."""

import pytest

from hub_server.site.drawing import scale
from schemas.evidence.rates import Grade
from schemas.measures.grades import GRADE_BOUNDS


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


def test_the_bands_are_the_grades_of_the_audit() -> None:
    assert scale.BANDS[:-1] == GRADE_BOUNDS
    assert scale.BANDS[-1] == (Grade.F, 1.0)
