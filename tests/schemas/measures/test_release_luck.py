"""A grade is not won by publishing the same verifier until the cases that are drawn for a release are easy ones."""

import pytest

from schemas.evidence.rates import Grade, Grading, Measurement
from schemas.measures.grades import grade_of
from schemas.measures.release_luck import letter_after
from scripts.simulate_rerolls import (
    after_tries,
    as_drawn,
    cases_needed,
    measured,
    pooled_tries,
    won,
    won_in_clusters,
    won_with_friends,
)


def based_on(reads: Measurement, hubs_own: Measurement | None = None, others: Measurement | None = None) -> Grading:
    return Grading(reads=reads, hubs_own=hubs_own, others=others)


A, B, C, D, F, U = Grade.A, Grade.B, Grade.C, Grade.D, Grade.F, Grade.UNMEASURED


@pytest.mark.parametrize("earlier", [[], [A], [A, A, A], [U], [U, A]])
def test_a_letter_that_no_earlier_release_was_below_stays(earlier: list[Grade]) -> None:
    assert letter_after(A, based_on(measured(0, 381)), earlier) == (A, "")


@pytest.mark.parametrize(
    ("size", "earlier", "letter"),
    [(381, [B], B), (498, [B], A), (498, [B, C], B), (568, [B, C], A), (381, [F], B), (130, [B], B), (381, [A, B], B)],
)
def test_after_worse_letters_a_better_one_takes_surer_evidence(size: int, earlier: list[Grade], letter: Grade) -> None:
    drawn = grade_of(measured(0, size))
    found, why = letter_after(drawn, based_on(measured(0, size)), earlier)
    assert found is letter
    assert bool(why) == (found is not drawn)


def test_it_is_never_worse_than_the_best_of_the_earlier_worse_ones() -> None:
    """Twenty tries at B leave a release that is drawn an A at B, not lower."""
    found, why = letter_after(A, based_on(measured(0, 381)), [B] * 20)
    assert found is B
    assert why == (
        "20 earlier releases of this package or its code had a worse grade on cases drawn for them, and among 21 draws "
        "one may be lucky: a better grade than B must hold at 99.88 % instead of 97.5 %."
    )


def test_what_is_unmeasured_or_f_stays() -> None:
    assert letter_after(U, based_on(measured(0, 5)), [F]) == (U, "")
    assert letter_after(F, based_on(measured(40, 100)), [U, D]) == (F, "")


def test_similar_cases_count_as_few_here_too() -> None:
    """498 cases in 381 tasks are no surer than 381."""
    reads = measured(0, 498)
    few = {side: getattr(reads, side).model_copy(update={"clusters": 381, "tries": 381.0}) for side in ("fpr", "fnr")}
    assert letter_after(A, based_on(reads.model_copy(update=few)), [B])[0] is B


@pytest.mark.parametrize(("size", "true"), [(300, 0.035), (150, 0.11), (50, 0.33)])
def test_twenty_releases_win_hardly_more_than_one(size: int, true: float) -> None:
    """Each release for itself: 8 to 11 of 100 owners won a letter that one release wins at most once in 150 times."""
    assert won(size, true, 300, as_drawn) > 0.05
    assert won(size, true, 300, after_tries) <= 0.025


def test_what_a_corrected_verifier_needs_is_bounded() -> None:
    assert [cases_needed(A, worse) for worse in (0, 1, 2)] == [381, 498, 568]


@pytest.mark.parametrize(
    ("own", "earlier", "letter"), [(measured(0, 125), [], A), (measured(0, 125), [B], B), (measured(0, 164), [B], A)]
)
def test_what_the_hub_s_own_cases_carry_must_be_surer_too(
    own: Measurement, earlier: list[Grade], letter: Grade
) -> None:
    """125 of them carry an A at first; after one worse draw it takes 164, however many cases friends add."""
    found = based_on(measured(0, 2000), own, measured(0, 1800))
    assert letter_after(A, found, earlier)[0] is letter


def test_what_others_prove_for_an_a_must_be_surer_too() -> None:
    for others, letter in ((measured(0, 125), B), (measured(0, 164), A)):
        assert letter_after(A, based_on(measured(0, 2000), measured(0, 1800), others), [B])[0] is letter


def test_twenty_releases_beside_friends_win_hardly_more_than_one() -> None:
    """Only the pooled rate was judged by the tries, which friends' easy cases make as low as they like.

    Then a draw in which 35 cases of the hub's miss all errors of a verifier that errs in 11 % made a B of a D.
    """
    assert won_with_friends(35, 0.11, 200, pooled_tries) > 0.2
    assert won_with_friends(35, 0.11, 200, after_tries) <= won_with_friends(35, 0.11, 200, as_drawn, 1) + 0.02


def test_cases_that_fail_together_win_no_more_than_independent_ones() -> None:
    assert won_in_clusters(150, 0.33, 40, after_tries) <= 0.05
