"""The simulation of ten accounts that lie together: by the hub's rules they move no rate out of its interval."""

import pytest

from scripts.simulate_collusion import diluted, lifted, lowered, of_standing


@pytest.mark.parametrize("confirmed", [0, 4])
@pytest.mark.parametrize(("size", "rate"), [(50, 0.01), (200, 0.05)])
def test_ten_who_lie_lower_few_letters_where_they_lowered_all(size: int, rate: float, confirmed: int) -> None:
    found = lowered(size, rate, confirmed, draws=200)
    assert found.unlimited == 1
    assert found.limited <= 0.3
    assert 0 < found.widths < 1


def test_ten_who_dispute_lift_nothing_that_others_confirmed() -> None:
    """Five confirmed errors were an F, and four of them none."""
    found = lifted(200, 0.01, 5, draws=40)
    assert (found.unlimited, found.limited) == (1, 0)
    assert 0 < found.widths < 1


def test_easy_cases_lift_by_one_letter_at_most() -> None:
    found = diluted(50, 0.01, draws=20)
    assert found.by_one > 0.5
    assert (found.by_more, found.undeserved) == (0, 0)


def test_accounts_of_standing_make_no_others_and_each_takes_a_true_case_that_a_moderator_confirms() -> None:
    assert of_standing(30, by_moderator=False) == 0
    assert [of_standing(cases, by_moderator=True) for cases in (2, 3)] == [0, 3]
