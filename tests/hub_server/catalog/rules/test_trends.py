"""A package trends when clearly more senders download it, and senders share numbers."""

import math

import pytest

from hub_server.catalog.rules.trends import sender_number, trend_of


@pytest.mark.parametrize(
    ("recent", "before", "trend"),
    [(0, 0, 0.0), (4, 0, 0.0), (5, 0, math.sqrt(5)), (14, 12, 0.0), (16, 4, 12 / math.sqrt(20)), (5, 900, 0.0)],
)
def test_a_trend_is_what_chance_does_not_make(recent: int, before: int, trend: float) -> None:
    assert trend_of(recent, before) == pytest.approx(trend)


def test_senders_fall_on_few_numbers_and_on_others_for_another_package() -> None:
    """So that one's downloads of two packages cannot be found to be one's, and many share a number."""
    numbers = {package: [sender_number(package, f"account:{n}") for n in range(3000)] for package in ("a/b", "a/c")}
    assert all(0 <= number < 4096 for found in numbers.values() for number in found)
    assert 1900 < len(set(numbers["a/b"])) < 2300, "4096 (1 - exp(-3000/4096)) = 2127"
    assert sum(one == other for one, other in zip(*numbers.values(), strict=True)) < 10
