"""What verdicts leave open: entropy of Bayes' rule with known error rates."""

import math

import pytest
from scipy.stats import entropy

from hub_server.audits.rules.uncertainty import (
    Annotator,
    acceptance_of,
    agreed_label,
    annotator_of,
    entropy_left,
    is_contested,
    person_as_annotator,
)
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.confusion import Outcome, measure
from schemas.verdict import Verdict

DECLARED = {"correct": RewardDeclaration(), "safe": RewardDeclaration(role=RewardRole.GATE, threshold=1.0)}


def test_one_clear_verdict_leaves_what_bayes_rule_says():
    chance = 0.9 / (0.9 + 0.3)  # from 1/2, by a verifier that accepts 90 % of the right and 30 % of the wrong
    assert entropy_left([Annotator(1.0, 0.9, 0.3)]) == pytest.approx(entropy([chance, 1 - chance], base=2))


def test_silence_coins_and_opposite_voices_leave_everything_open():
    assert entropy_left([]) == 1
    assert entropy_left([Annotator(None)]) == 1
    assert entropy_left([Annotator(1.0, 0.5, 0.5), Annotator(0.5)]) == 1
    assert entropy_left(
        [person_as_annotator("correct"), person_as_annotator("incorrect"), person_as_annotator("unsure")]
    ) == pytest.approx(1)


def test_any_number_of_sure_voices_leaves_a_finite_nothing():
    for acceptance in (0.0, 1.0):
        assert entropy_left([Annotator(acceptance, 1 - 1e-12, 1e-12)] * 10_000) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cases", [[], [Outcome(True, True)] * 5000, [Outcome(False, True)] * 5000])
def test_an_audit_without_one_side_or_without_an_error_is_never_taken_as_certain(cases):
    annotator = annotator_of(1.0, measure(cases))
    assert 0 < annotator.sensitivity < 1
    assert 0 < annotator.fpr < 1
    assert math.isfinite(entropy_left([annotator]))
    assert entropy_left([annotator]) > 0


@pytest.mark.parametrize(
    ("correct", "safe", "acceptance"),
    [(1.0, 1.0, 1.0), (0.5, 1.0, 0.5), (0.25, 1.0, 0.25), (1.0, 0.0, 0.0), (None, 1.0, None)],
)
def test_the_weakest_reward_speaks_and_what_is_not_judged_is_silent(correct, safe, acceptance):
    assert acceptance_of(Verdict(rewards={"correct": correct, "safe": safe}), DECLARED) == acceptance


def test_only_verdicts_that_part_or_waver_are_contested():
    assert not is_contested([])
    assert not is_contested([None, None])
    assert not is_contested([1.0, 0.9, None])
    assert is_contested([1.0, 0.0])
    assert is_contested([0.6])


def test_a_label_is_agreed_on_when_it_leads_by_enough():
    assert agreed_label({}, 2) is None
    assert agreed_label({"a": "correct", "b": "correct", "c": "incorrect"}, 2) is None
    assert agreed_label({"a": "correct", "b": "correct", "c": "unsure"}, 2) == "correct"
    assert agreed_label(dict.fromkeys("abc", "incorrect"), 2) == "incorrect"
