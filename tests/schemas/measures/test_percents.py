"""A rounded per cent never says another thing than the number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.percents import in_percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0.0"),
        (1.0, "100.0"),
        (0.278, "27.8"),
        (0.0003, "0.03"),  # 0 errors of 10,000: not "0.0-0.0"
        (0.9997, "99.97"),
        (0.0104, "1.04"),  # an upper bound that earns a B must not read as an A's
        (0.01, "1.0"),
        (1e-12, "<0.000001"),
        (1 - 1e-12, ">99.999999"),
    ],
)
def test_as_many_decimals_as_it_takes(share, text):
    assert in_percent(share, 1, GRADE_LIMITS) == text


@given(st.floats(1e-8, 1 - 1e-8), st.integers(0, 2))
def test_nothing_but_zero_reads_as_zero_and_nothing_but_one_as_a_hundred(share, places):
    assert 0 < float(in_percent(share, places)) < 100
