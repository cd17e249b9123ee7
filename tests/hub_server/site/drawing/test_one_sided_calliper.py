"""The one-sided calliper: one rate, zero at the end from which it opens."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing.one_sided_calliper import HEIGHT, one_sided_calliper


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(markup)


def at(root: ET.Element, class_: str, attribute: str) -> list[str]:
    return [e.get(attribute, "") for e in root.iter() if e.get("class") == class_]


@pytest.mark.parametrize(("direction", "zero"), [("left", "100%"), ("right", "0%")])
def test_zero_is_at_the_end_from_which_it_opens(direction, zero) -> None:
    root = parsed(one_sided_calliper(0, 50, direction))
    assert at(root, "calliper-zero", "x1") == [zero]
    suffix = "fn" if direction == "left" else "fp"
    assert at(root, f"calliper-dot-{suffix}", "cx") == [zero]


def test_more_errors_stand_farther_from_zero_and_more_cases_make_a_thicker_bar() -> None:
    few, many = (parsed(one_sided_calliper(wrong, 100, "right")) for wrong in (1, 40))
    place = [float(at(root, "calliper-dot-fp", "cx")[0].rstrip("%")) for root in (few, many)]
    assert 0 < place[0] < place[1] < 100
    sure = parsed(one_sided_calliper(10, 1000, "right"))
    assert float(at(sure, "calliper-bar-fp", "height")[0]) > float(at(few, "calliper-bar-fp", "height")[0])


def test_the_bar_is_the_interval_and_holds_the_dot() -> None:
    root = parsed(one_sided_calliper(5, 100, "right"))
    start = float(at(root, "calliper-bar-fp", "x")[0].rstrip("%"))
    end = start + float(at(root, "calliper-bar-fp", "width")[0].rstrip("%"))
    assert start < float(at(root, "calliper-dot-fp", "cx")[0].rstrip("%")) < end


def test_what_was_not_measured_is_open_and_says_so() -> None:
    root = parsed(one_sided_calliper(0, 0, "left"))
    assert root.get("aria-label") == "rate not measured"
    assert at(root, "calliper-unmeasured", "x1") != []
    assert at(root, "calliper-dot-fn", "cx") == []
    assert root.get("height") == str(HEIGHT)


def test_readers_hear_the_rate_its_interval_and_the_cases() -> None:
    said = parsed(one_sided_calliper(1, 20, "right")).get("aria-label", "")
    assert "5.0" in said
    assert "1 of 20 cases" in said
    assert "95 % interval" in said
