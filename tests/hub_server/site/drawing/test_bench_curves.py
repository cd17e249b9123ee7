"""Curves of a benchmark: which are chosen, that they stay in their frame, and that their words are their numbers."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.drawing.bench_curves import MOST_CURVES, chosen_curves, pass_plot, subset_plot
from schemas.benchmark import PassCurve, PassPoint, SubsetPoint, SubsetReport
from schemas.measures.intervals import Interval


def curve(name: str, last: float, ks: tuple[int, ...] = (1, 2, 4)) -> PassCurve:
    points = [
        PassPoint(k=k, rate=Interval(value=last, low=max(0.0, last - 0.1), high=min(1.0, last + 0.1))) for k in ks
    ]
    return PassCurve(model=name, harness="h", points=points)


def subset(*points: tuple[int, float, float | None], tolerance: float = 0.01) -> SubsetReport:
    curve = [SubsetPoint(size=size, worst_error=worst, held_out_error=held) for size, worst, held in points]
    return SubsetReport(tolerance=tolerance, tasks=["a"], worst_error=0.0, task_count=90, sizes=(2, 5), curve=curve)


@pytest.mark.parametrize("count", [1, MOST_CURVES - 1, MOST_CURVES])
def test_few_curves_are_all_shown_best_first(count: int) -> None:
    curves = [curve(f"m{n}", n / 10) for n in range(count)]
    assert [one.model for one in chosen_curves(curves)] == [f"m{n}" for n in range(count - 1, -1, -1)]


@given(st.integers(MOST_CURVES + 1, 200))
def test_of_many_the_best_the_worst_and_some_between_are_shown_each_once(count: int) -> None:
    chosen = chosen_curves([curve(f"m{n}", n / 1000) for n in range(count)])
    names = [one.model for one in chosen]
    assert len(set(names)) == len(names) == MOST_CURVES
    assert (names[0], names[-1]) == (f"m{count - 1}", "m0")


def test_no_curve_is_no_curve() -> None:
    assert chosen_curves([]) == []


def ys(drawn: str) -> list[float]:
    """Every ordinate of every path."""
    numbers = [
        pair.split() for path in re.findall(r' d="([^"]*)"', drawn) for pair in re.findall(r"-?[\d.]+ -?[\d.]+", path)
    ]
    return [float(y) for _, y in numbers]


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=4), st.sampled_from([(1,), (1, 2), (1, 2, 4, 8), (1, 3, 7)]))
def test_every_rate_lies_inside_the_frame_whatever_the_tries(rates: list[float], ks: tuple[int, ...]) -> None:
    drawn = str(pass_plot([curve(f"m{n}", value, ks) for n, value in enumerate(rates)]))
    found = ys(drawn)
    assert found
    assert all(-1e-6 <= y <= 1000.0 + 1e-6 for y in found)
    assert not re.search(r"\bnan\b|\binf\b|None", drawn)


def test_the_words_say_what_the_best_curve_does_and_ks_double() -> None:
    drawn = str(pass_plot([curve("good", 0.75, (1, 2, 4, 8)), curve("bad", 0.25)]))
    assert "good under h rises from" in drawn
    assert "with 8" in drawn
    assert [k for k in re.findall(r">(\d+)<", drawn) if k in ("1", "2", "4", "8")][-4:] == ["1", "2", "4", "8"]


def test_a_strangers_name_is_text_in_the_picture() -> None:
    drawn = str(pass_plot([curve('"><script>alert(1)</script>', 0.5)]))
    assert "<script>" not in drawn


@pytest.mark.parametrize(
    "points",
    [
        [(1, 0.3, None), (2, 0.1, None), (3, 0.0, None)],
        [(1, 0.0, 0.0), (10, 0.0, 0.0)],
        [(1, 0.9, 0.8), (30, 0.01, None)],
    ],
)
def test_errors_of_any_size_are_drawn_and_those_left_out_are_named_only_where_they_were_measured(points) -> None:
    drawn = str(subset_plot(subset(*points)))
    assert not re.search(r"\bnan\b|\binf\b|None", drawn)
    assert ("left out of the choice" in drawn) is any(held is not None for _, _, held in points)
    assert "1 of 90 tasks rebuild" in drawn
