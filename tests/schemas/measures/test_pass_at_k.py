"""pass@k against a count of all draws."""

import itertools

import pytest

from schemas.measures.pass_at_k import pass_at_k


@pytest.mark.parametrize(("attempts", "successes", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 2), (6, 6, 4), (7, 3, 7)])
def test_pass_at_k_is_the_share_of_draws_with_a_success(attempts, successes, k):
    tries = [1] * successes + [0] * (attempts - successes)
    draws = list(itertools.combinations(tries, k))
    assert pass_at_k(attempts, successes, k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_published_figures_are_reproduced():
    assert [pass_at_k(10, 3, k) for k in (1, 2, 5)] == pytest.approx([0.3, 0.533333, 0.916667], abs=1e-6)


@pytest.mark.parametrize(("attempts", "successes", "k"), [(3, 1, 4), (3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_pass_at_k_refuses_what_it_cannot_know(attempts, successes, k):
    with pytest.raises(ValueError, match="need"):
        pass_at_k(attempts, successes, k)
