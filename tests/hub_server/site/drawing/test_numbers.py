"""Numbers read as the house writes them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.site.drawing import numbers


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0"),
        (0.0007, "0.07"),
        (0.00403, "0.4"),
        (0.016, "1.6"),
        (0.0102, "1.0"),
        (0.0299, "3.0"),
        (0.0301, "3.0"),
        (0.12, "12"),
        (0.0999, "10"),
        (0.1004, "10"),
        (1.0, "100"),
        (0.000001, "<0.01"),
        (0.994, "99"),
        (0.9996, "99.96"),  # 0 of 10,000 unsolved is not "100 to 100"
        (0.99999, ">99.99"),
    ],
)
def test_rates_have_two_significant_figures(share: float, text: str) -> None:
    assert numbers.per_cent(share) == text


def test_an_upper_end_is_never_rounded_into_a_better_grade() -> None:
    assert numbers.interval(0.006, 0.0104) == "0.6–1.04"
    assert numbers.bound(0.1004) == "10.04"
    assert numbers.bound(0.025) == "2.5"


@given(st.floats(0, 1))
def test_a_printed_upper_end_is_graded_like_the_exact_one(share: float) -> None:
    printed = float(numbers.bound(share).lstrip("<>")) / 100
    for limit in numbers.GRADE_LIMITS:
        if abs(share - limit) > 1e-5:
            assert (printed <= limit + 1e-12) == (share <= limit + 1e-12)


def test_a_rate_and_its_sign_do_not_break() -> None:
    assert numbers.rate(0.016) == "1.6\u202f%"


def test_thousands_are_set_apart() -> None:
    assert numbers.count(40000) == "40\u00a0000"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not judged"), (0, "0"), (0.93444, "0.934"), (1234.5, "1\u00a0234"), (-0.5, "−0.500"), (11, "11")],
)
def test_figures(value: float | None, text: str) -> None:
    assert numbers.figure(value) == text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0\u00a0B"), (48_200, "48\u00a0kB"), (1_500_000, "1.5\u00a0MB"), (999_900, "1.0\u00a0MB")]
)
def test_sizes(size: int, text: str) -> None:
    assert numbers.size(size) == text


@pytest.mark.parametrize(
    ("span", "text"), [(0.3, "0.3\u00a0s"), (41, "41\u00a0s"), (600, "10\u00a0min"), (8040, "2\u00a0h 14\u00a0min")]
)
def test_spans(span: float, text: str) -> None:
    assert numbers.seconds(span) == text


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=1), "1\u00a0minute ago"),
        (timedelta(hours=4), "4\u00a0hours ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=5), "5\u00a0days ago"),
        (timedelta(days=60), "22\u00a0Sep\u00a02026"),
    ],
)
def test_how_long_ago(before: timedelta, text: str) -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert numbers.ago(now - before, now) == text


def test_a_digest_keeps_its_algorithm() -> None:
    assert numbers.short_digest("sha256:9f41c07e5b2da81e", 8) == "sha256:9f41c07e…"
