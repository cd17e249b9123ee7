"""Ticks enclose what is drawn, and there are a few of them, whatever figures a stranger has reported."""

import itertools
import math

import pytest

from hub_server.site.drawing.curves import Curve, plot
from hub_server.site.drawing.ticks import round_ticks

EXTREMES = (0.0, 1.0, -1.0, 5e-324, 1e-200, 1e18, 2.0**63, 1e100, 1e200, 1.7e308, -1.7e308, -1e-310, math.inf, math.nan)


def test_ticks_enclose_ordinary_figures() -> None:
    assert round_ticks(0.0, 1.0) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert round_ticks(-3.0, 7.0) == [-5.0, -2.5, 0.0, 2.5, 5.0, 7.5]
    assert round_ticks(2.0, 2.0) == [2.0, 2.5, 3.0, 3.5, 4.0]


def test_there_are_a_few_for_any_two_floats() -> None:
    for low, high in itertools.product(EXTREMES, EXTREMES):
        marks = round_ticks(low, high)
        assert 2 <= len(marks) <= 7, (low, high, marks)
        assert all(map(math.isfinite, marks)), (low, high, marks)
        assert marks == sorted(marks), (low, high, marks)


@pytest.mark.parametrize("bounds", [None, (0.0, 1.0), (-1e308, 1e308)])
@pytest.mark.parametrize("large", [5e-324, 1e200, 1.7e308])
def test_a_curve_of_any_figures_is_drawn(large: float, bounds: tuple[float, float] | None) -> None:
    """A run whose owner declared the range of a reward so, or whose training diverged, had no page."""
    points = [(float(step), large if step % 2 else -large) for step in range(500)]
    assert "<path" in plot([Curve("reward", points, "series-main")], "x", bounds=bounds)
