"""Labelled rollouts beside other evidence: lies wait, a bad verifier is not flattered, what others confirm counts."""

from typing import Any

import pytest

from sandbox.audit.evaluation import Judgement, confirmed, counted, distinct, measure_parts, repeated, seen
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


def unjudged(cases: int) -> list[Judgement]:
    return [
        Judgement(one.case.model_copy(update={"id": f"u{n}"}), {"id": f"u{n}"}, None)
        for n, one in enumerate(labelled(0, cases))
    ]


def test_labels_of_what_gets_no_verdict_have_a_limit_too() -> None:
    """Beyond 2 % the grade counts them as errors: of 100 labels, 60 made a B a D."""
    many = [*suite(), *labelled(0, 40), *unjudged(60)]
    waiting = find_waiting(counted(many), DECLARED)
    assert {one.case.id for one in unjudged(60)} <= waiting.cases
    assert "Of 100 rollouts that people labelled wrong, it gives no verdict on 60" in waiting.told[0]
    assert not find_waiting(counted([*suite(), *labelled(0, 98), *unjudged(2)]), DECLARED).cases


def test_answers_without_a_verdict_take_no_right_ones_from_beside_lies() -> None:
    """Lies that 2,900 right verdicts leave open would be alone if only these waited with the unjudged ones."""
    assert rollouts_that_count([*suite(), *labelled(27, 2900)]) == (2900, 27)
    assert rollouts_that_count([*suite(), *labelled(27, 2900), *unjudged(100)]) == (0, 0)


def test_the_owner_does_not_choose_which_right_verdicts_count() -> None:
    """Errors waited while the owner confirmed what was judged rightly: 40 % wrong looked like none."""
    errors = labelled(40, 40)
    right = [judged(f"r{n}", wrong=False, uncorroborated=True, by_owner=True) for n in range(60)]
    assert rollouts_that_count([*suite(), *errors, *right]) == (0, 0)
    owned = [judged(f"o{n}", wrong=True, uncorroborated=True, by_owner=True) for n in range(10)]
    assert rollouts_that_count([*suite(), *errors[10:], *owned, *right]) == (25, 10), "errors they confirm do count"


def test_counter_examples_of_accounts_of_standing_make_no_room_for_their_labels() -> None:
    theirs = [judged(f"c{n}", wrong=True, origin="community", uncorroborated=True) for n in range(3)]
    assert rollouts_that_count([*suite(), *theirs, *labelled(4, 200)]) == (0, 0)
    confirmed = [judged(f"c{n}", wrong=True, origin="community") for n in range(3)]
    assert rollouts_that_count([*suite(), *confirmed, *labelled(4, 200)]) == (200, 4)


def test_a_copy_that_somebody_has_confirmed_is_the_one_that_counts() -> None:
    """The first one counted. The same task stood in the package under two ids, and friends labelled it first."""
    first = judged("a", wrong=True, uncorroborated=True)
    second = Judgement(first.case.model_copy(update={"id": "b", "uncorroborated": False}), first.task, first.verdict)
    assert [one.case.id for one in distinct([first, second], DECLARED)] == ["b"]


def test_a_counter_example_that_the_owner_seconds_too_is_the_authors_where_it_is_right() -> None:
    """Or friends of standing and the owner would add what the next release gets right, by hundreds and without limit."""
    case = {"uncorroborated": True, "by_owner": True}
    fixed = judged("c", wrong=False, origin="community", **case)
    labels = judged("l", wrong=False, **case)
    wrong = judged("w", wrong=True, origin="community", **case)
    assert [one.origin for one in seen([fixed, labels, wrong], DECLARED)] == ["author", "rollout", "community"]


def test_the_sentence_says_that_right_verdicts_wait_too() -> None:
    (sentence,) = find_waiting(counted([*suite(), *labelled(40, 100, confirmed=10)]), DECLARED).told
    assert sentence.endswith("As large a share of the others waits with them: 45.")


def test_a_copy_is_told_by_what_counts_in_its_place_and_what_the_hub_holds_is_not_named() -> None:
    first = judged("a", wrong=True)
    copy = Judgement(first.case.model_copy(update={"id": "b"}), first.task, first.verdict)
    assert repeated([first, copy, judged("c", wrong=True)], DECLARED) == {"b": "a"}
    held = Judgement(first.case.model_copy(update={"origin": Origin.HELD}), first.task, first.verdict)
    assert repeated([held, copy], DECLARED) == {}


def test_what_accounts_of_standing_alone_say_makes_no_part_that_is_surely_worse() -> None:
    """One lie beside four true counter-examples made an F of any verifier."""
    true = [judged(f"t{n}", wrong=True, origin="community") for n in range(4)]
    lie = judged("l", wrong=True, origin="community", uncorroborated=True)
    owned = judged("o", wrong=True, origin="community", uncorroborated=True, by_owner=True)
    label = judged("r", wrong=True, uncorroborated=True)
    assert confirmed([*true, lie, owned, label]) == [*true, owned, label]
    assert measure_parts(confirmed([*true, lie]), DECLARED)["origin:community"].fp == 4
