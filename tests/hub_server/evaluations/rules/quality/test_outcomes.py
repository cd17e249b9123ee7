import numpy as np
import pytest

from hub_server.evaluations.rules.quality.outcomes import Outcomes, jackknife, resamples


def test_rows_in_any_order_add_up():
    rows = [("b", "y", True), ("a", "x", True), ("a", "x", False), ("b", "x", False)]
    outcomes = Outcomes.from_rows(rows)
    assert outcomes.models == ("a", "b")
    assert outcomes.attempts.tolist() == [[2, 0], [1, 1]]
    assert outcomes.successes.tolist() == [[1, 0], [0, 1]]


def test_what_was_not_tried_is_unknown_and_never_zero():
    outcomes = Outcomes.from_rows([("a", "x", True), ("b", "x", True), ("b", "y", True)])
    assert np.isnan(outcomes.rates[0, 1])
    assert outcomes.complete().tasks == ("x",)


@pytest.mark.parametrize("successes", [[[2]], [[-1]], [[0, 0]]])
def test_impossible_counts_are_refused(successes):
    with pytest.raises(ValueError, match="must"):
        Outcomes(("a",), ("x",), np.array(successes), np.ones((1, 1), dtype=np.int64))


def test_draws_are_repeatable():
    assert (resamples(10, 5, seed=3) == resamples(10, 5, seed=3)).all()
    assert (resamples(10, 5, seed=3) != resamples(10, 5, seed=4)).any()


def test_groups_that_differ_by_rounding_alone_say_nothing_of_the_error():
    found = jackknife(1.0, [1.0, 1.0000000000000002, 1.0, 1.0], low=1.0, high=30.0)
    assert (found.low, found.high) == (1.0, 30.0)
