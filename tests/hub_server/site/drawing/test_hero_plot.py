"""The large plot: the bands of the grades in order, and only the band of the worse bound is marked."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing.hero_plot import hero_plot
from schemas.evidence.rates import Grade
from schemas.measures.grades import grade_of
from tests.hub_server.site.drawing.measurements import measured


def parsed(*counts: int) -> ET.Element:
    found = measured(*counts)
    return ET.fromstring(f"<div>{hero_plot(found, grade_of(found))}</div>")


def texts(root: ET.Element, class_: str) -> list[tuple[str, float]]:
    return [
        (e.text or "", float(e.get("x", "0").rstrip("%")))
        for e in root.iter("text")
        if (e.get("class") or "") == class_
    ]


@pytest.mark.parametrize("counts", [(0, 2000, 0, 2000), (3, 300, 40, 300), (40, 300, 3, 300)])
def test_exactly_one_band_is_marked_and_it_is_that_of_the_grade(counts: tuple[int, ...]) -> None:
    found = measured(*counts)
    ((letter, _),) = texts(parsed(*counts), "calliper-grade reached")
    assert letter == grade_of(found).value


def test_the_mark_stands_on_the_side_of_the_worse_rate() -> None:
    ((_, wrong_side),) = texts(parsed(3, 300, 40, 300), "calliper-grade reached")
    ((_, right_side),) = texts(parsed(40, 300, 3, 300), "calliper-grade reached")
    assert right_side < 50 < wrong_side


def test_bands_mirror_each_other_and_grow_worse_outwards() -> None:
    grades = texts(parsed(3, 300, 40, 300), "calliper-grade") + texts(parsed(3, 300, 40, 300), "calliper-grade reached")
    left = sorted((x, letter) for letter, x in grades if x < 50)
    right = sorted((x, letter) for letter, x in grades if x > 50)
    assert [letter for _, letter in right] == sorted(letter for _, letter in right)
    assert [letter for _, letter in left] == [letter for _, letter in reversed(right)]
    assert [100 - x for x, _ in reversed(left)] == pytest.approx([x for x, _ in right], abs=0.02)


def test_what_was_not_measured_has_no_mark_and_says_no_cases() -> None:
    root = ET.fromstring(f"<div>{hero_plot(measured(0, 0, 0, 0), Grade.UNMEASURED)}</div>")
    assert texts(root, "calliper-grade reached") == []
    assert "no cases" in "".join(root.itertext())
