"""One-line drawings: what they show is where the numbers say, and the words say it too."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.drawing.strips import (
    diversity_strip,
    hardness_strip,
    key_square,
    latency_strip,
    score_bracket,
    time_bar,
)
from schemas.evidence.audit import Latency


def percents(root: ET.Element, name: str, attribute: str) -> list[float]:
    return [float(e.get(attribute, "0").rstrip("%")) for e in root.iter(name) if e.get(attribute, "").endswith("%")]


@given(st.lists(st.floats(0.001, 1e6), min_size=3, max_size=3).map(sorted), st.floats(1.0, 1e6))
@settings(max_examples=40)
def test_latencies_of_any_size_stay_inside_the_strip(found: list[float], limit: float) -> None:
    root = ET.fromstring(latency_strip(Latency(p50=found[0], p95=found[1], p99=found[2]), limit))
    places = percents(root, "line", "x1") + percents(root, "text", "x") + percents(root, "rect", "x")
    assert all(-0.01 <= place <= 100.01 for place in places)
    assert "nan" not in ET.tostring(root, encoding="unicode")


def test_slower_quantiles_stand_farther_right_and_the_limit_is_the_end() -> None:
    root = ET.fromstring(latency_strip(Latency(p50=5, p95=50, p99=400), 1000))
    labels = {(e.text or "").split()[0]: float(e.get("x", "0").rstrip("%")) for e in root.iter("text")}
    assert labels["p50"] < labels["p95"] < labels["p99"] < 100
    assert labels["limit"] == 100


def test_a_latency_that_nobody_measured_leaves_the_axis_alone() -> None:
    said = ET.fromstring(latency_strip(Latency(p50=None, p95=None, p99=None), 100)).get("aria-label", "")
    assert "p50" not in said
    assert "limit" in said


def test_the_parts_of_a_step_fill_the_bar_in_proportion() -> None:
    root = ET.fromstring(time_bar([("sampling", 3.0, "shade-1"), ("reward", 1.0, "shade-waiting")]))
    widths = percents(root, "rect", "width")
    assert widths == [pytest.approx(74.75), pytest.approx(24.75)]
    assert [e.get("class") for e in root.iter("rect")] == ["shade-1", "shade-waiting"]
    assert "sampling 3" in root.get("aria-label", "")


def test_a_step_without_parts_is_empty_and_no_error() -> None:
    assert list(ET.fromstring(time_bar([]))) == []


def test_scores_beyond_their_range_are_drawn_at_its_ends() -> None:
    root = ET.fromstring(score_bracket([("before", -1.0, 0.5, 3.0), ("after", 0.2, 0.4, 0.6)]))
    assert percents(root, "svg", "x")[:2] == [0.0, 100.0]
    assert [e.get("class") for e in root.iter("circle")] == ["share-none", "role-score"]


def test_a_range_without_width_divides_by_nothing() -> None:
    root = ET.fromstring(score_bracket([("only", 2.0, 2.0, 2.0)], low=2.0, high=2.0))
    assert percents(root, "circle", "cx") == [0.0]


def test_tasks_stand_by_falling_pass_rate_and_the_ends_are_counted() -> None:
    root = ET.fromstring(hardness_strip([0.0, 1.0, 0.5, 1.0]))
    assert [e.get("class") for e in root.iter("rect")] == ["share-all", "share-all", "share-some", "share-none"]
    heights = [float(e.get("height", "0")) for e in root.iter("rect")]
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] > 0  # a task that nobody solves is still seen
    assert "2 of 4 solved by every model, 1 by none" in root.get("aria-label", "")


@pytest.mark.parametrize(("effective", "total", "width"), [(5, 10, "50%"), (20, 10, "100%"), (0, 0, "0%")])
def test_an_effective_number_fills_its_share_of_the_rail(effective, total, width) -> None:
    fill = list(ET.fromstring(diversity_strip(effective, total)).iter("rect"))[1]
    assert fill.get("width") == width


def test_the_square_of_a_key_is_decoration() -> None:
    root = ET.fromstring(key_square("shade-1"))
    assert root.get("aria-hidden") == "true"
    assert [e.get("class") for e in root] == ["shade-1"]
