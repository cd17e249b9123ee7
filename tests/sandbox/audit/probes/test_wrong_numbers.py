"""Numbers that lost digits: whole ones any, decimal fractions only so many that they are a tenth less."""

import random
from fractions import Fraction

import pytest

from sandbox.audit.probes.answers import read
from sandbox.audit.probes.wrong_numbers import mixed, truncated


@pytest.mark.parametrize(
    ("answer", "cut"),
    [
        ("0.234375", ["0.2"]),
        ("-0.0375", ["-0.03"]),
        ("0.25", ["0.2"]),
        ("3.14", []),
        ("19.5", []),
        ("1.9", ["1"]),
        ("5", []),
        ("3/4", []),
    ],
)
def test_a_decimal_is_cut_only_where_it_becomes_another_by_a_tenth(answer: str, cut: list[str]) -> None:
    found = read(answer)
    assert found is not None
    assert list(truncated(found, random.Random(1))) == cut
    assert all(abs(Fraction(one)) < abs(Fraction(answer)) for one in cut)


@pytest.mark.parametrize("answer", ["1", "6", "7", "10", "42", "2000"])
def test_a_mixed_number_is_another_by_a_tenth_however_it_is_read(answer: str) -> None:
    """Also as a product of its two parts, as a parser of formulas reads it."""
    found = read(answer)
    assert found is not None
    [text] = mixed(found, random.Random(2))
    whole, part = (Fraction(one) for one in text.split())
    for value in (whole + part, whole * part):
        assert value != Fraction(answer)
    assert abs(whole + part - Fraction(answer)) >= Fraction(answer) / 10


def test_nought_and_what_is_no_whole_number_make_no_mixed_number() -> None:
    for answer in ("0", "-3", "2.5", "3/4"):
        found = read(answer)
        assert found is not None
        assert list(mixed(found, random.Random(2))) == []
