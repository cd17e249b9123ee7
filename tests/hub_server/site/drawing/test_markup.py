"""Markup of drawings: whatever a stranger's text holds stays text, and numbers are short."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from hub_server.site.drawing.markup import line, number, percent, svg, tag

# XML holds no control characters at all, escaped or not.
TEXT = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc", "Cn")), max_size=40)


@given(st.floats(-1e9, 1e9))
@settings(max_examples=60)
def test_a_number_keeps_its_value_to_two_decimals_and_has_no_idle_zeros(value: float) -> None:
    text = number(value)
    assert float(text) == pytest.approx(value, abs=0.00501)
    assert text != "-0"
    assert "." not in text or not text.endswith(("0", "."))
    assert "e" not in text


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (-0.001, "0"), (12.5, "12.5"), (100.0, "100"), (1 / 3, "0.33")])
def test_numbers_as_attributes_want_them(value, text) -> None:
    assert number(value) == text
    assert percent(value) == text + "%"


@given(TEXT, TEXT)
@settings(max_examples=60)
def test_strangers_text_comes_back_as_it_was_and_adds_no_element(words: str, value: str) -> None:
    root = ET.fromstring(tag("text", words, class_=value, data_x=value))
    assert (root.text or "") == words
    assert len(root) == 0
    assert sorted(root.attrib) == ["class", "data-x"]
    assert " ".join(root.attrib["class"].split()) == " ".join(value.split())


def test_markup_is_kept_and_plain_text_is_escaped() -> None:
    inner = tag("tspan", "<b>")
    assert tag("text", inner, "<i>") == Markup("<text><tspan>&lt;b&gt;</tspan>&lt;i&gt;</text>")


def test_none_leaves_an_attribute_out_and_zero_does_not() -> None:
    assert tag("rect", x=None, y=0, width=0.0) == Markup('<rect y="0" width="0"/>')


def test_shapes_close_themselves_unless_they_hold_something() -> None:
    assert str(tag("circle", r=1)).endswith("/>")
    assert str(tag("circle", tag("title", "a"), r=1)).endswith("</circle>")
    assert str(tag("g")) == "<g></g>"


def test_a_drawing_has_words_or_is_hidden() -> None:
    assert 'role="img"' in svg(label="two of three")
    assert 'aria-label="two of three"' in svg(label="two of three")
    assert "aria-hidden" not in svg(label="two of three")
    assert svg() == Markup('<svg aria-hidden="true"></svg>')


def test_a_line_has_its_ends() -> None:
    root = ET.fromstring(line("plot-base", "0%", "100%", 3, 4.5))
    assert root.attrib == {"class": "plot-base", "x1": "0%", "x2": "100%", "y1": "3", "y2": "4.5"}
