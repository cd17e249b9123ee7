"""Reward against entropy: time goes right, the fit ends at what a reward can be, the newest point is marked."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing.entropy import entropy_plot
from schemas.measures.entropy_law import fit_entropy_law

FALLING = [(2.0 - k / 20, 0.9 - 0.1 * 2.718281828 ** (2.0 - k / 20)) for k in range(30)]


def drawn(most_reward: float) -> ET.Element:
    fit = fit_entropy_law(FALLING)
    assert fit is not None
    return ET.fromstring(f"<div>{entropy_plot(FALLING, fit, 'Reward against entropy', most_reward)}</div>")


def test_the_newest_point_is_the_large_one_and_lies_right_of_the_first() -> None:
    circles = list(drawn(1.0).iter("circle"))
    places = [float(c.get("cx", "").rstrip("%")) for c in circles]
    assert circles[-1].get("class") == "plot-dot now"
    assert places == sorted(places)
    assert len(circles) == len(FALLING)


def test_a_fit_below_the_most_has_a_ceiling_with_its_number() -> None:
    texts = [e.text or "" for e in drawn(1.0).iter("text")]
    assert any(text.startswith("ceiling 0.8") for text in texts)


def test_a_fit_that_promises_more_than_there_is_says_so() -> None:
    texts = [e.text or "" for e in drawn(0.6).iter("text")]
    assert not any(text.startswith("ceiling") for text in texts)
    assert any("is the most there is" in text for text in texts)


@pytest.mark.parametrize("most", [0.6, 1.0])
def test_the_fit_is_drawn_inside_the_plot(most: float) -> None:
    (path,) = [e for e in drawn(most).iter("path") if e.get("class") == "plot-line series-other"]
    numbers = [float(part) for point in path.get("d", "")[1:].split(" L") for part in point.split()]
    assert all(0 <= one <= 1000 for one in numbers)


def test_a_law_outside_of_the_plot_draws_no_empty_path() -> None:
    """A run that declares no rewards may log 3.9 of "1": browsers complained of a path that only began."""
    points = [(h, r + 3.0) for h, r in FALLING]
    fit = fit_entropy_law(points)
    assert fit is not None
    root = ET.fromstring(f"<div>{entropy_plot(points, fit, 'Reward against entropy', 1.0)}</div>")
    assert [e.get("d") for e in root.iter("path") if len(e.get("d", "")) < 4] == []
