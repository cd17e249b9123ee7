"""Whole numbers in words."""

import pytest

from sandbox.audit.probes.number_words import in_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (13, "thirteen"),
        (40, "forty"),
        (47, "forty-seven"),
        (300, "three hundred"),
        (1047, "one thousand forty-seven"),
        (219_305, "two hundred nineteen thousand three hundred five"),
        (-8, "minus eight"),
        (1_000_000, None),
    ],
)
def test_in_words(value, words) -> None:
    assert in_words(value) == words
