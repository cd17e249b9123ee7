"""Agreement and distance of two verifiers, drawn where they are and said in words."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing.distance import agreement_rail, distance_rail
from schemas.comparison import RewardDistance
from schemas.evidence.rates import Rate
from schemas.measures.intervals import rate


def ends(root: ET.Element) -> list[float]:
    return [float(e.get("x", "").rstrip("%")) for e in root.findall("svg")]


def dots(root: ET.Element) -> list[float]:
    return [float(e.get("cx", "").rstrip("%")) for e in root.findall("circle")]


@pytest.mark.parametrize(("agreed", "judged"), [(0, 10), (7, 10), (10, 10), (499, 500)])
def test_the_interval_holds_the_value_and_stays_on_the_rail(agreed: int, judged: int) -> None:
    root = ET.fromstring(agreement_rail(rate(agreed, judged)))
    left, right = ends(root)
    (dot,) = dots(root)
    assert 0 <= left <= dot <= right <= 100
    assert dot == pytest.approx(1 + 98 * agreed / judged, abs=0.01)


def test_what_nobody_judged_is_open_from_end_to_end_and_has_no_dot() -> None:
    for drawn in (agreement_rail(Rate(value=None, low=0.0, high=1.0)), distance_rail(None)):
        root = ET.fromstring(drawn)
        assert ends(root) == [1.0, 99.0]
        assert dots(root) == []
        assert {p.get("class") for p in root.iter("path")} == {"interval-bracket open"}


def test_both_are_said_in_words() -> None:
    said = ET.fromstring(agreement_rail(rate(9, 10))).get("aria-label", "")
    assert said.startswith("They agree on 90")
    assert "95 % interval" in said
    far = RewardDistance(value=0.25, low=0.125, high=0.5)
    assert (
        ET.fromstring(distance_rail(far)).get("aria-label", "").startswith("Distance 0.25, 95 % interval 0.12 to 0.5")
    )
