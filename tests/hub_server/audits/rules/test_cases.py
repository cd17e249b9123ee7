"""When a verdict parts from its label, and where a case goes from there."""

import pytest

from hub_server.audits.rules.cases import (
    case_key,
    contradict,
    is_verdict_wrong,
    next_state,
    place_of_case,
    why_blocked,
)
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CaseState
from schemas.manifest import RewardDeclaration
from schemas.verdict import Verdict

DECLARED = {"correct": RewardDeclaration(), "style": RewardDeclaration(weight=0.5)}


def case(label: str, expect: dict[str, float] | None = None, **more: object) -> AuditCase:
    return AuditCase(id="c", task_id="t", response="r", label=label, expect=expect, **more)


@pytest.mark.parametrize(
    ("label", "rewards", "wrong"),
    [
        ("correct", {"correct": 1.0, "style": 1.0}, False),
        ("correct", {"correct": 1.0, "style": 0.0}, True),
        ("incorrect", {"correct": 0.0, "style": 1.0}, False),
        ("incorrect", {"correct": 1.0, "style": 1.0}, True),
        ("incorrect", {"correct": 0.0, "style": None}, False),
        ("correct", {"correct": 1.0, "style": None}, None),
    ],
)
def test_a_label_speaks_of_all_scores_together(label: str, rewards: dict, wrong: bool | None) -> None:
    assert is_verdict_wrong(case(label), Verdict(rewards=rewards), DECLARED) is wrong


@pytest.mark.parametrize(
    ("got", "wrong"), [({"correct": 0.6}, False), ({"correct": 0.4}, True), ({"correct": None}, None), ({}, None)]
)
def test_an_expectation_speaks_of_its_reward_alone(got: dict, wrong: bool | None) -> None:
    assert is_verdict_wrong(case("correct", {"correct": 1.0}), Verdict(rewards=got), DECLARED) is wrong


@pytest.mark.parametrize(
    ("state", "wrong", "after"),
    [
        (CaseState.OPEN, True, CaseState.REPRODUCED),
        (CaseState.OPEN, False, CaseState.REFUTED),
        (CaseState.OPEN, None, CaseState.OPEN),
        (CaseState.REPRODUCED, False, CaseState.FIXED),
        (CaseState.REPRODUCED, True, CaseState.REPRODUCED),
        (CaseState.FIXED, True, CaseState.FIXED),
        (CaseState.DISPUTED, False, CaseState.DISPUTED),
    ],
)
def test_where_a_case_goes_after_a_replay(state: CaseState, wrong: bool | None, after: CaseState) -> None:
    assert next_state(state, wrong) is after


def test_the_same_task_and_response_are_one_case_whatever_is_said_about_them() -> None:
    one = case("correct", note="a", tags=["x"])
    other = AuditCase(id="other", task_id="t", response="r", label="incorrect")
    assert case_key(one) == case_key(other)
    assert case_key(one) != case_key(AuditCase(id="c", task_id="t", response="r ", label="correct"))


def test_what_came_back_outweighs_what_could_not_be_judged() -> None:
    assert why_blocked([], []) == ""
    assert "wrong that an earlier release got right" in why_blocked(["a"], ["b"])
    assert "Could not be judged" in why_blocked([], ["b"])


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("correct", "incorrect", True),
        ("correct", "correct", False),
        ("incorrect correct=0", "incorrect format=1", False),
        ("incorrect correct=0", "incorrect correct=1", True),
    ],
)
def test_claims_contradict_by_label_or_by_a_reward(one: str, other: str, apart: bool) -> None:
    assert contradict(one, other) is contradict(other, one) is apart


def test_a_refuted_case_has_a_place_of_its_own() -> None:
    assert place_of_case("k", "correct", "reproduced", "a") == place_of_case("k", "correct", "open", "b")
    assert place_of_case("k", "correct", "refuted", "a") != place_of_case("k", "correct", "open", "b")
