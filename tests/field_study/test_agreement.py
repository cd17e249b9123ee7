"""Two readers of the same verdicts: kappa by hand, an interval that holds it, and what they differ on."""

import pytest

from scripts.field_study.agreement import after_settling, agreement, differing


def read(*found: str, name: str = "l") -> list[dict]:
    return [{"list": f"{name}{n * n % 11}", "case": f"c{n}", "kind": "fp", "found": one} for n, one in enumerate(found)]


def test_kappa_is_agreement_beyond_chance() -> None:
    """Cohen's formula: 20 and 15 agreed of 50, chance 0.5 by the margins 25/25 and 30/20."""
    first = read(*["wrong"] * 25, *["right"] * 25)
    second = read(*["wrong"] * 20, *["right"] * 5, *["wrong"] * 10, *["right"] * 15)
    found = agreement(first, second)
    assert (found.both, found.same) == (50, 35)
    assert found.kappa == pytest.approx(0.4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high


def test_unsure_does_not_hold_a_blame_and_counts_as_a_difference_from_right() -> None:
    first, second = read("wrong", "unsure", "right"), read("wrong", "right", "right")
    found = agreement(first, second)
    assert (found.same, found.kappa) == (2, 1.0)
    assert [(one["found"], two["found"]) for one, two in differing(first, second)] == [("unsure", "right")]


def test_two_who_always_find_the_same_have_no_kappa_and_no_interval() -> None:
    found = agreement(read("wrong", "wrong"), read("wrong", "wrong"))
    assert (found.kappa, found.low, found.high) == (None, None, None)


def test_only_what_both_read_is_compared() -> None:
    assert agreement(read("wrong", "right"), read("wrong")).both == 1
    assert agreement([], read("wrong")) == agreement(read("wrong"), [])


def test_what_was_settled_stands_in_place_of_what_was_found() -> None:
    rows = read("wrong", "right")
    assert after_settling(rows, [rows[1] | {"found": "unsure"}]) == [rows[0], rows[1] | {"found": "unsure"}]
