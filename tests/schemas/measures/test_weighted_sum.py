"""One number of a reward vector: what was not judged neither gains nor costs anything by that."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.weighted_sum import sum_range, weighted_sum

RIGHT, FORM = RewardDeclaration(weight=1.0), RewardDeclaration(weight=3.0)
GATE = RewardDeclaration(role=RewardRole.GATE)
METRIC = RewardDeclaration(role=RewardRole.METRIC, range=(0, 100), weight=9.0)
COST = RewardDeclaration(weight=-0.5, range=(-1.0, 1.0), threshold=0.0)


@pytest.mark.parametrize(
    ("rewards", "total"),
    [
        ({"right": 1.0, "form": 1.0}, 4.0),
        ({"right": 1.0, "form": None}, 4.0),
        ({"right": None, "form": 0.5}, 2.0),
        ({"right": 0.25, "form": None}, 1.0),
        ({"right": 0.25, "form": math.nan}, 1.0),
        ({"right": 0.25}, 1.0),
        ({"right": None, "form": None}, None),
    ],
)
def test_a_score_that_was_not_judged_is_no_zero(rewards, total):
    assert weighted_sum(rewards, {"right": RIGHT, "form": FORM}) == total


@pytest.mark.parametrize(("cost", "total"), [(1.0, -0.5), (-1.0, 1.5)])
def test_a_score_that_costs_keeps_its_sign_when_it_alone_was_judged(cost, total):
    assert weighted_sum({"right": None, "cost": cost}, {"right": RIGHT, "cost": COST}) == pytest.approx(total)


@pytest.mark.parametrize(
    ("first", "second", "total"),
    [(1.0, 1.0, 1.0), (0.0, 1.0, 0.0), (None, 0.0, 0.0), (None, 1.0, None), (None, None, None), (0.5, 0.5, 1.0)],
)
def test_a_gate_that_was_not_judged_leaves_no_sum_unless_another_is_closed(first, second, total):
    declared = {"right": RIGHT, "first": GATE, "second": GATE}
    assert weighted_sum({"right": 1.0, "first": first, "second": second}, declared) == total


def test_a_metric_counts_for_nothing_judged_or_not():
    declared = {"right": RIGHT, "words": METRIC}
    assert weighted_sum({"right": 1.0, "words": 50.0}, declared) == 1.0
    assert weighted_sum({"right": 1.0, "words": None}, declared) == 1.0
    assert weighted_sum({"right": None, "words": 50.0}, declared) is None


def test_scores_without_weight_say_nothing_about_those_that_have_one():
    declared = {"right": RIGHT, "logged": RewardDeclaration(weight=0.0)}
    assert weighted_sum({"right": None, "logged": 1.0}, declared) is None
    assert weighted_sum({"right": 1.0, "logged": None}, declared) == 1.0


def test_an_endless_range_of_sums_is_the_sum_of_the_ends():
    assert sum_range([RIGHT, COST, GATE, METRIC]) == (-0.5, 1.5)
    assert sum_range([]) == (0, 0)


WEIGHTS = st.floats(-4, 4)
SCORES = st.dictionaries(st.sampled_from("abcd"), st.tuples(WEIGHTS, st.none() | st.floats(0, 1)), min_size=1)
GATES = st.lists(st.none() | st.floats(0, 1), max_size=2)


@given(SCORES, GATES)
def test_every_sum_lies_in_its_range_and_what_was_judged_whole_is_a_plain_sum(scores, gates):
    declared = {name: RewardDeclaration(weight=weight) for name, (weight, _) in scores.items()}
    rewards = {name: value for name, (_, value) in scores.items()}
    low, high = sum_range(declared.values())
    declared |= {f"gate{number}": GATE for number, _ in enumerate(gates)}
    rewards |= {f"gate{number}": value for number, value in enumerate(gates)}
    total = weighted_sum(rewards, declared)
    if any(value is not None and value < GATE.threshold for value in gates):
        assert total in (0.0, None)
    elif total is not None:
        assert low - 1e-9 <= total <= high + 1e-9
    if None not in rewards.values() and all(value >= GATE.threshold for value in gates):
        assert total == pytest.approx(sum(weight * value for weight, value in scores.values()))


@given(SCORES)
def test_among_equal_answers_the_one_that_was_judged_in_part_is_no_worse(scores):
    """A verifier that sometimes fails must not teach a policy to avoid what it fails on: all at the top is the top."""
    declared = {name: RewardDeclaration(weight=abs(weight) + 0.1) for name, (weight, _) in scores.items()}
    rewards = {name: None if value is None else 1.0 for name, (_, value) in scores.items()}
    total = weighted_sum(rewards, declared)
    if total is not None:
        assert total == pytest.approx(sum_range(declared.values())[1])
