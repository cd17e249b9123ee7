"""The calliper says and draws the same thing."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing.calliper import HEAD, ROW, TIGHT, axis_head, calliper, gauge
from hub_server.site.drawing.hero_plot import hero_plot
from hub_server.site.drawing.one_sided_calliper import one_sided_calliper
from schemas.evidence.rates import Grade
from tests.hub_server.site.drawing.measurements import measured


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


def classes(root: ET.Element) -> list[str]:
    return [element.get("class", "") for element in root.iter()]


@pytest.mark.parametrize("height", [ROW, TIGHT, HEAD])
def test_both_rates_are_drawn_where_the_geometry_puts_them(height: int) -> None:
    root = parsed(calliper(measured(19, 1180, 5, 1240), height))
    brackets = {
        p.get("class"): outer.get("x")
        for outer in root.iter("svg")
        for p in outer
        if p.get("class", "").startswith("calliper-bracket")
    }
    assert brackets == {"calliper-bracket-fn": "35.38%", "calliper-bracket-fp": "60.55%"}
    dots = {c.get("class"): c.get("cx") for c in root.iter("circle")}
    assert dots == {"calliper-dot-fn": "37.37%", "calliper-dot-fp": "57.96%"}
    assert root.find("svg").get("height") == str(height)


def test_readers_hear_rates_intervals_and_counts() -> None:
    label = parsed(calliper(measured(19, 1180, 5, 1240))).find("svg").get("aria-label")
    assert label == (
        "false-negative rate 1.6\u202f%, 95 % interval 1.0 to 2.5 %, 19 of 1180 cases; "
        "false-positive rate 0.4\u202f%, 95 % interval 0.2 to 0.9 %, 5 of 1240 cases"
    )


def test_unmeasured_is_dashed_and_fully_open_and_never_zero() -> None:
    root = parsed(calliper(None))
    assert "calliper-unmeasured" in classes(root)
    assert not [c for c in classes(root) if c.startswith(("calliper-dot", "calliper-bracket"))]
    assert {outer.get("x") for outer in root.iter("svg")} >= {"0%", "100%"}
    assert parsed(gauge(None)).itertext() is not None
    assert "unknown" in gauge(None)
    assert "0\u202f%" not in gauge(None)


def test_one_side_without_cases_stays_open() -> None:
    root = parsed(calliper(measured(0, 0, 1, 40)))
    assert "calliper-unmeasured" in classes(root)
    assert "calliper-dot-fp" in classes(root)
    assert "calliper-dot-fn" not in classes(root)


def test_a_gauge_never_prints_a_rate_without_interval_and_cases() -> None:
    text = "".join(parsed(gauge(measured(0, 48, 2, 1120))).itertext())
    assert "0\u202f%0–7.4" in text
    assert "0 of 48" in text
    assert "2 of 1\u00a0120" in text


def test_the_hero_plot_marks_the_band_of_the_larger_bound_only() -> None:
    root = parsed(hero_plot(measured(9, 190, 3, 210), Grade.C))
    marked = [t for t in root.iter("text") if t.get("class") == "calliper-grade reached"]
    assert [(t.text, t.get("x")) for t in marked] == [("C", "30.63%")]


def test_an_ungraded_hero_plot_marks_no_band() -> None:
    drawn = hero_plot(None, Grade.UNMEASURED)
    assert "calliper-grade reached" not in drawn
    assert "Not graded" in drawn
    assert "no cases" in drawn


def test_a_half_calliper_has_zero_at_the_end_it_opens_from() -> None:
    left, right = parsed(one_sided_calliper(0, 96, "left")), parsed(one_sided_calliper(0, 96, "right"))
    assert left.find(".//circle").get("cx") == "100%"
    assert right.find(".//circle").get("cx") == "0%"
    assert "not measured" in one_sided_calliper(0, 0, "left")


def test_nothing_carries_a_style_or_a_script() -> None:
    for drawn in (
        calliper(None),
        hero_plot(measured(1, 9, 1, 9), Grade.F),
        one_sided_calliper(1, 2, "right"),
        axis_head(),
    ):
        root = parsed(drawn)
        assert not [a for e in root.iter() for a in e.attrib if a == "style" or a.startswith("on")]
