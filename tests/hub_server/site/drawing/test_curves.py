"""Curves, their labels, the gap between train and held-out verifier, the entropy law."""

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hub_server.site.drawing import curves, entropy, labels, strips, ticks
from schemas.evidence.audit import Latency
from schemas.measures.entropy_law import fit_entropy_law


def rising(label: str, start: float, end: float, n: int = 100, style: curves.Style = "series-main") -> curves.Curve:
    return curves.Curve(label, [(k, start + (end - start) * k / (n - 1)) for k in range(n)], style)


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_enclose_the_data_with_few_round_steps(low: float, span: float) -> None:
    marks = ticks.round_ticks(low, low + span)
    slack = 1e-6 * max(abs(low), span)
    assert marks[0] <= low + slack
    assert marks[-1] >= low + span - slack
    assert 2 <= len(marks) <= 8


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9))
@example([0.022, -0.0535, 0.0])
def test_no_hairline_lies_outside_the_plot(values: list[float]) -> None:
    """A loss from -0.05 to 0.02 had them over its title and under its axis."""
    drawn = parsed(curves.plot([curves.Curve("loss", list(enumerate(values)), "plain")], "finding"))
    heights = [float(mark.get("y1", "").rstrip("%")) for mark in drawn.iter() if mark.tag.endswith("line")]
    assert len(heights) >= 2
    assert all(0 <= height <= 100 for height in heights), heights


def test_a_constant_series_still_has_an_axis() -> None:
    assert len(set(ticks.round_ticks(0.5, 0.5))) >= 2


def test_the_reward_that_matters_is_drawn_last_and_all_are_named() -> None:
    drawn = parsed(
        curves.plot(
            [rising("correct", 0.2, 0.9), rising("parses", 0.9, 1, style="series-gate")], "finding", bounds=(0, 1)
        )
    )
    paths = [p.get("class") for p in drawn.iter("path")]
    assert paths == ["plot-line series-gate", "plot-line series-main"]
    assert {t.text for t in drawn.iter("text") if t.get("class", "").startswith("plot-label")} == {"correct", "parses"}
    assert drawn.find("svg").get("aria-label") == "finding"


def test_the_gap_is_filled_from_the_alarm_on() -> None:
    train, held = rising("correct", 0.2, 0.9), rising("held out", 0.2, 0.5, style="held")
    drawn = parsed(curves.plot([train, held], "x", gap=curves.Gap(train, held, 60, "alarm, step 60")))
    area = next(p for p in drawn.iter("path") if p.get("class") == "plot-gap").get("d")
    first = float(area[1:].split(" ")[0])
    assert first == pytest.approx(1000 * 60 / 99, abs=0.01)
    assert "alarm, step 60" in "".join(drawn.itertext())


def test_long_runs_are_thinned_to_means_not_samples() -> None:
    points, width = curves.thinned([(k, float(k % 2)) for k in range(2400)])
    assert width == 10
    assert len(points) == 240
    assert {y for _, y in points} == {0.5}


def test_the_table_beside_a_plot_ends_with_the_last_step() -> None:
    rows = curves.sampled([rising("a", 0, 1, 401), curves.Curve("b", [(400, 0.5)], "held")])
    assert 8 <= len(rows) <= 13
    assert rows[-1] == (400, [1.0, 0.5])
    assert rows[0][1][1] is None


def test_names_of_curves_do_not_cover_each_other() -> None:
    flat = [[(x, y) for x in range(101)] for y in (50, 51, 52)]
    placed = labels.place_labels(["correct", "correct, held out", "simplest_form"], flat, 336)
    assert len({(round(p.x), round(p.y), p.dy) for p in placed}) == 3
    assert all(0 <= p.x <= 100 for p in placed)


def test_the_entropy_law_is_recovered() -> None:
    points = [(h / 50, 1.14 - 0.43 * math.exp(h / 50)) for h in range(5, 40)]
    fit = fit_entropy_law(points)
    assert fit is not None
    assert (fit.a, fit.b, fit.explained) == pytest.approx((0.43, 1.14, 1.0))
    assert fit.ceiling == pytest.approx(0.71)
    drawn = parsed(entropy.entropy_plot(points, fit, "law", 1.0))
    assert "ceiling 0.71, when entropy is spent" in "".join(drawn.itertext())


def test_an_entropy_fit_promises_no_more_than_the_range_of_the_reward() -> None:
    points = [(h / 50, 1.9 - 0.43 * math.exp(h / 50)) for h in range(35, 60)]
    fit = fit_entropy_law(points)
    assert fit is not None
    assert fit.ceiling > 1.4
    drawn = parsed(entropy.entropy_plot(points, fit, "law", 1.0))
    words = "".join(drawn.itertext())
    assert "ceiling" not in words
    assert "1 is the most there is" in words


def test_latency_ends_at_the_limit() -> None:
    drawn = parsed(strips.latency_strip(Latency(p50=12, p95=41, p99=208), 5000))
    assert (
        drawn.find("svg").get("aria-label")
        == "Latency: p50 12\u00a0ms, p95 41\u00a0ms, p99 208\u00a0ms, limit 5\u00a0s"
    )
    flags = [t for t in drawn.iter("text") if t.get("class") == "plot-label"]
    assert [t.text for t in flags] == ["p50 12", "p95 41", "p99 208"]


def test_latency_without_calls_is_an_empty_axis() -> None:
    assert "plot-label" not in strips.latency_strip(Latency(p50=None, p95=None, p99=None), 5000)


def test_a_score_is_its_interval_in_brackets() -> None:
    drawn = strips.score_bracket([("before", 0.1, 0.2, 0.3), ("after", 0.6, 0.7, 0.8)])
    assert drawn.count("interval-bracket") == 4
    assert "after 0.700, 95 % interval 0.600 to 0.800" in drawn


def test_every_millisecond_of_a_step_is_drawn_once() -> None:
    drawn = parsed(strips.time_bar([("generate", 6.0, "shade-1"), ("wait for verdicts", 2.0, "shade-waiting")]))
    assert [r.get("x") for r in drawn.iter("rect")] == ["0%", "75%"]


def test_hardness_counts_what_every_model_solves() -> None:
    assert "2 of 5 solved by every model, 1 by none" in strips.hardness_strip([1, 1, 0.5, 0.2, 0])
