"""Axes: values where they belong, ticks that do not leave the drawing."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.drawing.bench_axes import Scale, below, bracket, columns, rows, stretched, trace


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-1e7, 1e7))
@settings(max_examples=60)
def test_every_value_lies_on_the_axis(low: float, high: float, value: float) -> None:
    assert 0.0 <= Scale(low, high).at(value) <= 100.0


def test_a_scale_maps_its_ends_and_its_middle() -> None:
    scale = Scale(-2.0, 2.0)
    assert [scale.at(value) for value in (-2.0, 0.0, 2.0, 9.0, -9.0)] == [0.0, 50.0, 100.0, 100.0, 0.0]


def test_words_at_the_ends_grow_inwards() -> None:
    root = ET.fromstring(below([(0.0, "0"), (50.0, "half"), (100.0, "all")], "share"))
    anchors = {e.text: e.get("class") for e in root}
    assert anchors == {
        "0": "plot-text", "half": "plot-text middle", "all": "plot-text end", "share": "plot-text middle",
    }  # fmt: skip
    assert root.get("height") == "32"
    assert ET.fromstring(below([])).get("height") == "16"


def test_lines_across_have_their_numbers_and_the_lowest_is_the_base() -> None:
    root = ET.fromstring(f"<g>{''.join(rows(Scale(0, 1), [0.0, 0.5, 1.0]))}</g>")
    assert [(e.get("class"), e.get("y1")) for e in root.iter("line")] == [
        ("plot-base", "100%"), ("plot-grid", "50%"), ("plot-grid", "0%"),
    ]  # fmt: skip
    assert [e.text for e in root.iter("text")] == ["0", "0.5", "1"]
    worded = ET.fromstring(f"<g>{''.join(rows(Scale(0, 1), [0.0], ['none']))}</g>")
    assert [e.text for e in worded.iter("text")] == ["none"]


def test_lines_up_stand_at_their_values() -> None:
    root = ET.fromstring(f"<g>{''.join(columns(Scale(0, 4), [1, 3], 90.0))}</g>")
    assert [(e.get("x1"), e.get("x2"), e.get("y2")) for e in root] == [("25%", "25%", "90"), ("75%", "75%", "90")]


def test_points_become_a_path_on_a_square_of_a_thousand() -> None:
    assert trace([(0.0, 100.0), (50.0, 0.5)]) == "M0 1000 L500 5"
    assert ET.fromstring(stretched()).get("viewBox") == "0 0 1000 1000"


@pytest.mark.parametrize(("left", "right", "value"), [(10.0, 30.0, 20.0), (0.0, 0.0, 0.0)])
def test_an_interval_has_a_bar_two_brackets_and_a_dot(left, right, value) -> None:
    root = ET.fromstring(f"<g>{''.join(bracket(left, right, 9, value))}</g>")
    assert [e.tag for e in root] == ["line", "svg", "svg", "circle"]
    assert [float(e.get("x", "").rstrip("%")) for e in root.findall("svg")] == [left, right]
    assert float(root.find("circle").get("cx").rstrip("%")) == value
