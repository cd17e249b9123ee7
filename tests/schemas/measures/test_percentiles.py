"""Percentiles against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.measures.percentiles import percentile


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.floats(0, 1))
def test_percentiles_are_numpys(values, share):
    assert percentile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)


def test_there_is_no_percentile_of_nothing():
    assert percentile([], 0.5) is None


@pytest.mark.parametrize(("values", "share"), [([1.0, 2.0], 1.5), ([1.0, 2.0], -0.1), ([float("nan"), 1.0], 0.5)])
def test_what_has_no_percentile_is_refused(values, share):
    with pytest.raises(ValueError, match="percentile"):
        percentile(values, share)
