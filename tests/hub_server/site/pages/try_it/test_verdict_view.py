"""A verdict in words."""

import pytest

from hub_server.site.pages.try_it.verdict_view import FAULTS, view_of_verdict
from schemas.manifest import RewardDeclaration
from schemas.verdict import ErrorKind, Verdict
from tests.hub_server.site import samples


def test_not_judged_is_never_part_of_the_sum() -> None:
    verdict = Verdict(
        rewards={"correct": 1, "simplest_form": 0, "parses": 1, "units_match": None, "simplify_steps": 11}
    )
    told = view_of_verdict(verdict, samples.REWARDS, 38)
    assert (told.sum, told.most, told.unjudged) == (pytest.approx(1.75 * 1.0 / 1.5), 1.75, ["units_match"])


def test_what_a_score_costs_is_not_counted_as_the_most_it_gives() -> None:
    declared = {"right": RewardDeclaration(), "long": RewardDeclaration(weight=-0.5)}
    told = view_of_verdict(Verdict(rewards={"right": 1, "long": 0}), declared)
    assert (told.sum, told.most) == (1.0, 1.0)


def test_a_closed_gate_is_named() -> None:
    told = view_of_verdict(Verdict(rewards={"correct": 1, "parses": 0}), samples.REWARDS)
    assert told.sum == 0
    assert told.closed_gates == ["parses"]
    assert told.opposite == "correct"


def test_an_accepted_answer_is_contested_as_incorrect() -> None:
    rewards = {"correct": RewardDeclaration()}
    assert view_of_verdict(Verdict(rewards={"correct": 1}), rewards).opposite == "incorrect"


def test_every_kind_of_error_says_whose_fault_it_is() -> None:
    assert set(FAULTS) == set(ErrorKind)
