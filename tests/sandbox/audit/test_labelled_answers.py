"""Labelled rollouts beside other evidence: lies wait, a bad verifier is not flattered, what others confirm counts."""

from typing import Any

import pytest

from sandbox.audit.evaluation import Judgement, counted
from sandbox.audit.labelled_answers import find_waiting
from schemas.evidence.cases import AuditCase, Origin
from schemas.manifest import RewardDeclaration
from schemas.verdict import Verdict

DECLARED = {"correct": RewardDeclaration()}


def judged(name: str, *, wrong: bool, label: str = "incorrect", **case: Any) -> Judgement:
    task = {"id": name, "prompt": f"? {name}"}
    made = AuditCase(**{"id": name, "task": task, "response": name, "label": label, "origin": "rollout", **case})
    accepted = (label == "correct") is not wrong
    return Judgement(made, task, Verdict(rewards={"correct": float(accepted)}))


def suite(cases: int = 400, errors: int = 0, label: str = "incorrect") -> list[Judgement]:
    return [judged(f"{label}{number}", wrong=number < errors, label=label, origin="suite") for number in range(cases)]


def labelled(errors: int, cases: int, *, confirmed: int = 0, label: str = "incorrect") -> list[Judgement]:
    """By accounts of standing alone, but for the first ``confirmed``."""
    return [
        judged(f"l{number}", wrong=number < errors, label=label, uncorroborated=number >= confirmed)
        for number in range(cases)
    ]


def rollouts_that_count(judgements: list[Judgement]) -> tuple[int, int]:
    """How many count, and on how many of these the verifier is wrong."""
    waiting = find_waiting(counted(judgements), DECLARED)
    found = [one for one in counted(waiting.apply(judgements)) if one.case.origin is Origin.ROLLOUT]
    return len(found), sum(one.overall(DECLARED).is_wrong for one in found)


@pytest.mark.parametrize("label", ["correct", "incorrect"])
def test_thirty_lies_of_two_accounts_wait(label: str) -> None:
    """Each of them counted, and a verifier without an error had 30 of 430."""
    lies = labelled(30, 30, label=label)
    assert rollouts_that_count([*suite(label=label), *lies]) == (0, 0)
    told = find_waiting([*suite(label=label), *lies], DECLARED).told
    side = "wrong, it accepts" if label == "incorrect" else "right, it rejects"
    (sentence,) = told
    assert sentence.startswith(f"Of 30 rollouts that people labelled {side} 30; its other evidence explains at most 1.")
    assert "So 30 labels wait until 29 more are confirmed" in sentence


def test_what_the_other_evidence_explains_counts_whole() -> None:
    assert rollouts_that_count([*suite(), *labelled(1, 40)]) == (40, 1)
    assert rollouts_that_count([*suite(errors=20), *labelled(7, 100)]) == (100, 7)
    assert not find_waiting([*suite(), *labelled(1, 40)], DECLARED).told


def test_a_bad_verifier_is_not_flattered_by_the_answers_on_which_it_is_right() -> None:
    """A limit on errors alone would count 60 right verdicts and one wrong of a verifier that errs on two in five."""
    assert rollouts_that_count([*suite(), *labelled(40, 100)]) == (0, 0)


@pytest.mark.parametrize(("confirmed", "found"), [(0, (0, 0)), (10, (25, 10)), (38, (95, 38)), (39, (100, 40))])
def test_what_others_confirm_counts_with_its_share_of_right_verdicts(confirmed: int, found: tuple[int, int]) -> None:
    """Two in five are wrong, whatever part of them has been confirmed; the last ones need no confirmation."""
    assert rollouts_that_count([*suite(), *labelled(40, 100, confirmed=confirmed)]) == found


def test_lies_on_one_side_leave_the_other_alone() -> None:
    both = [*suite(), *suite(label="correct"), *labelled(30, 30)]
    right = [judged(f"r{number}", wrong=False, label="correct", uncorroborated=True) for number in range(20)]
    assert rollouts_that_count([*both, *right]) == (20, 0)


def test_without_labels_and_with_what_was_not_judged_nothing_waits() -> None:
    unjudged = Judgement(labelled(0, 1)[0].case, {"id": "l0"}, None)
    assert find_waiting(suite(errors=300), DECLARED) == find_waiting([*suite(), unjudged], DECLARED)
    assert not find_waiting(suite(errors=300), DECLARED).cases


def test_which_right_verdicts_wait_does_not_depend_on_order() -> None:
    cases = [*suite(), *labelled(40, 100, confirmed=10)]
    assert find_waiting(cases, DECLARED).cases == find_waiting(cases[::-1], DECLARED).cases
