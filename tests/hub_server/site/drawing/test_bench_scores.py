"""Scores of a benchmark: drawn where they are, on the right side of zero, and said in words."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing import bench_scores
from schemas.measures.corrected import CorrectedRate
from schemas.measures.intervals import Interval


def around(value: float, half: float = 0.1) -> Interval:
    return Interval(value=value, low=value - half, high=value + half)


def parsed(drawn: object) -> ET.Element:
    return ET.fromstring(f"<div>{drawn}</div>")


def widths(root: ET.Element, class_: str) -> list[float]:
    return [float(e.get("width", "0").rstrip("%")) for e in root.iter("rect") if e.get("class") == class_]


def dots(root: ET.Element) -> list[float]:
    return [float(e.get("cx", "").rstrip("%")) for e in root.iter("circle")]


@pytest.mark.parametrize(("gained", "lost", "models"), [(3, 1, 10), (0, 0, 10), (10, 0, 10)])
def test_gains_go_right_and_losses_left_in_proportion(gained: int, lost: int, models: int) -> None:
    root = parsed(bench_scores.flip_bar(gained, lost, models))
    assert widths(root, "share-some") == [pytest.approx(50 * gained / models)]
    assert widths(root, "share-none") == [pytest.approx(50 * lost / models)]


@pytest.mark.parametrize("value", [-0.3, -0.1, 0.0, 0.2, 0.3])
def test_a_difference_stands_on_its_side_of_zero(value: float) -> None:
    (dot,) = dots(parsed(bench_scores.difference_bracket(around(value, 0.05), 0.35)))
    assert (dot - 50) * value >= 0
    assert dot == pytest.approx(50 + 50 * value / 0.35, abs=1.5)


def test_higher_rates_stand_farther_right() -> None:
    places = [dots(parsed(bench_scores.rate_bracket(around(value))))[0] for value in (0.1, 0.5, 0.9)]
    assert places == sorted(places)
    assert all(0 <= place <= 100 for place in places)


def test_what_cannot_be_corrected_is_open_and_what_can_has_two_dots() -> None:
    open_one = parsed(bench_scores.score_calliper(around(0.6), CorrectedRate(reason="nobody measured its verifier")))
    both = parsed(bench_scores.score_calliper(around(0.6), CorrectedRate(estimate=around(0.8))))
    assert len(dots(open_one)) == 1
    assert len(dots(both)) == 2
    assert "nobody measured its verifier" in "".join(e.get("aria-label", "") for e in open_one.iter("svg"))


def test_domains_share_the_bar_by_their_tasks() -> None:
    root = parsed(bench_scores.domain_bar({"algebra": 30, "geometry": 10}))
    shares = [float(e.get("width", "0").rstrip("%")) for e in root.iter("rect") if e.get("width", "").endswith("%")]
    assert shares[0] == pytest.approx(3 * shares[1], rel=0.05)
    assert "algebra" in "".join(root.itertext()) + "".join(e.get("aria-label", "") for e in root.iter("svg"))


def test_a_strangers_domain_is_text() -> None:
    drawn = str(bench_scores.domain_bar({"<script>": 1, "b": 1}))
    assert "<script>" not in drawn


def test_rank_correlations_run_from_minus_one_to_one() -> None:
    places = [dots(parsed(bench_scores.agreement_bracket(around(value, 0.0))))[0] for value in (-1.0, 0.0, 1.0)]
    assert places[0] < places[1] < places[2]
    assert places[1] == pytest.approx(50)
