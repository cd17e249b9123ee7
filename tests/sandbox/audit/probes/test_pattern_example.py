"""An example of a pattern is matched by it, and a pattern that is not read gives none."""

import re

import pytest

from sandbox.audit.probes.pattern_example import example_of


@pytest.mark.parametrize(
    "pattern",
    [
        r"(verification|check)\s*[:=]\s*(passed|ok)",
        r"answer is \(?([A-D])\)?",
        r"(?i)foo(?:bar|x){2,3}[^x7]\d+",
        r"(?P<name>ab+?)cd*",
        r"[]x]y",
        r"[\w.]+@[^x 7-]?x",
        r"\\boxed\{(.*?)\}",
        r"^\s*#{4}\s+(-?\d{1,3}(?:,\d{3})*)$",
        r"a(?=b)b",
        r"x(?#a remark)y",
        "a{2,}|b",
    ],
)
def test_the_example_is_matched(pattern: str) -> None:
    found = example_of(pattern)
    assert found is not None
    assert re.search(pattern, found), found


@pytest.mark.parametrize("text", ["(", "a)", "*a", "[", "[a", "(?(1)a|b)", "\\", "(" * 299, "[" * 50, "a" * 301])
def test_what_is_no_pattern_or_a_strange_one_has_none(text: str) -> None:
    assert example_of(text) is None


def test_a_count_does_not_make_a_long_text() -> None:
    assert len(example_of("a{900000}") or "") == 20
