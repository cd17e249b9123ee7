"""What an account may do: more by what it has proved, less by what it has lied."""

import pytest

from hub_server.audits.rules.quotas import Rank, how_to_get_more, quotas_of, rank_of
from schemas.evidence.standing import Quotas

BY_RANK: dict[Rank, Quotas] = {
    "new": Quotas(waiting=5, cases=40, labels=50, words=10),
    "standing": Quotas(waiting=30, cases=200, labels=500, words=100),
    "trusted": Quotas(waiting=100, cases=1000, labels=5000, words=1000),
}


@pytest.mark.parametrize(
    ("points", "is_trusted", "rank"),
    [(0, False, "new"), (2, False, "new"), (3, False, "standing"), (-9, True, "trusted"), (-1, False, "new")],
)
def test_points_make_the_rank_and_the_hubs_trust_comes_first(points: int, is_trusted: bool, rank: Rank) -> None:
    assert rank_of(points, is_trusted=is_trusted) == rank


@pytest.mark.parametrize(
    ("points", "waiting", "words"), [(0, 5, 10), (2, 5, 10), (-1, 2, 5), (-3, 2, 5), (-4, 1, 3), (-99, 1, 1)]
)
def test_each_lie_leaves_less_and_always_one(points: int, waiting: int, words: int) -> None:
    """With nothing left an account could never earn its way back, and would come as a new one."""
    found = quotas_of("new", points, BY_RANK)
    assert (found.waiting, found.words) == (waiting, words)


def test_more_points_never_give_less() -> None:
    found = [quotas_of(rank_of(points, is_trusted=False), points, BY_RANK) for points in range(-30, 10)]
    for name in Quotas.model_fields:
        numbers = [getattr(one, name) for one in found]
        assert numbers == sorted(numbers), name


def test_a_refusal_says_the_points_and_how_to_get_more() -> None:
    said = how_to_get_more("bob", "new", 1, 30)
    assert "You have 1 point. With 2 more you may have 30" in said
    assert "verihub account standing bob" in said
    assert "You have -3 points. With 6 more" in how_to_get_more("bob", "new", -3, 30)
    assert "the most at your rank (standing)" in how_to_get_more("bob", "standing", 7, 30)
