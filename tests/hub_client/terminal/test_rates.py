"""Rates in words: a small one never reads as none, and what nobody measured never reads as good."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.terminal.rates import interval_text, percent, rate_text, summary_text
from schemas.audit import Rate
from schemas.measures.intervals import Interval


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0 %"), (0.0123, "1.2 %"), (1.0, "100.0 %"), (0.0104, "1.04 %")])
def test_a_share_is_a_percentage(share, text):
    assert percent(share) == text


@given(st.floats(1e-9, 1 - 1e-9))
def test_only_nothing_reads_as_nothing_and_only_all_as_all(share):
    shown = percent(share).removesuffix(" %")
    assert shown in ("<0.000001", ">99.999999") or 0 < float(shown) < 100


def test_what_nobody_measured_is_said_so():
    assert rate_text(Rate(value=None, low=0.0, high=1.0)) == "unmeasured"
    assert summary_text(None) == "unmeasured"


def test_a_rate_comes_with_its_interval():
    assert rate_text(Rate(value=0.012, low=0.004, high=0.033)) == "1.2 % (0.4–3.3)"
    assert interval_text(Interval(value=0.125, low=0.022, high=0.471)) == "12.5 % (2.2 to 47.1)"
