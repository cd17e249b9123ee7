"""The simulation behind decision 36: lies that count move no rate out of its interval, and fewer letters."""

import pytest

from scripts.simulate_labels import lied, waits


@pytest.mark.parametrize(("size", "rate", "labels"), [(50, 0.01, 30), (200, 0.05, 300)])
def test_lies_lower_few_letters_where_they_lowered_all(size: int, rate: float, labels: int) -> None:
    found = lied(size, rate, labels, draws=20)
    assert found.unlimited == 1
    assert found.limited <= 0.25
    assert 0 < found.moved < 1


def test_honest_labels_of_a_weakness_wait_and_others_seldom() -> None:
    same, thrice = (waits(200, 0.05, rate, 100, draws=60) for rate in (0.05, 0.15))
    assert same < 0.3 < thrice
