"""Numbers that lost digits: whole ones any, decimal fractions only so many that they are a tenth less."""

import random
from fractions import Fraction

import pytest

from sandbox.audit.probes.answers import read
from sandbox.audit.probes.wrong_numbers import truncated


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
