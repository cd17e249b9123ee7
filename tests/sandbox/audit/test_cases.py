import random

import pytest

from sandbox.audit.cases import case_problems, cases_digest, must_accept, must_accept_per_reward, task_of
from schemas.evidence.cases import AuditCase
from schemas.manifest import Manifest


def manifest(rewards: str) -> Manifest:
    return Manifest.from_toml(
        f'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n{rewards}'
    )


ONE = manifest("[rewards.correct]")
TWO = manifest('[rewards.correct]\n[rewards.simplest]\n[rewards.length]\nrole = "metric"\nrange = [0, 100]')


def case(label="correct", expect=None, **fields):
    return AuditCase(**{"id": "c", "task_id": "t", "response": "r", "label": label, "expect": expect} | fields)


def test_who_labelled_a_case_is_no_part_of_what_was_measured():
    case = AuditCase(id="a", task={"id": "t"}, response="x", label="correct")
    assert cases_digest([case.model_copy(update={"labelled_by": "two annotators"})]) == cases_digest([case])
    assert cases_digest([case.model_copy(update={"note": "x"})]) != cases_digest([case])


def test_a_label_speaks_of_all_scores_together():
    assert must_accept(case(), TWO.rewards)
    assert not must_accept(case("incorrect"), TWO.rewards)
    assert must_accept_per_reward(case(), TWO.rewards) == {}


def test_a_label_speaks_of_the_only_score():
    assert must_accept_per_reward(case("incorrect"), ONE.rewards) == {"correct": False}


def test_what_is_wrong_may_fail_at_a_gate_and_says_nothing_of_the_score():
    gated = manifest('[rewards.correct]\n[rewards.honest]\nrole = "gate"').rewards
    assert must_accept_per_reward(case("incorrect"), gated) == {}
    assert must_accept_per_reward(case(), gated) == {"correct": True}


def test_an_expectation_speaks_of_what_it_names():
    one_side = case(expect={"correct": 1.0, "length": 7.0})
    assert must_accept_per_reward(one_side, TWO.rewards) == {"correct": True, "length": True}
    assert must_accept(one_side, TWO.rewards)


def test_one_expected_miss_means_rejection_whatever_the_label_says():
    assert not must_accept(case(expect={"correct": 1.0, "simplest": 0.0}), TWO.rewards)


def test_expectations_of_every_score_outrank_the_label():
    assert must_accept(case("incorrect", expect={"correct": 1.0, "simplest": 1.0}), TWO.rewards)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (case(expect={"beauty": 1.0}), "expects beauty, which is not declared: correct, simplest, length are"),
        (case(expect={"correct": 2.0}), "expects correct = 2, outside its range [0, 1]"),
        (case(expect={"correct": 0.0}), "is labelled correct, but its expect says rejected"),
        (case(task_id="nowhere"), "names task nowhere, which the release does not have"),
    ],
)
def test_contradictions_are_named_before_anything_runs(wrong, says):
    (problem,) = case_problems([wrong], TWO, {"t": {"id": "t"}})
    assert says in problem


def test_a_sound_suite_has_no_problem_and_a_double_id_is_one():
    assert case_problems([case(), case(id="d", expect={"correct": 0.4}, label="incorrect")], TWO, {"t": {}}) == []
    assert case_problems([case(), case()], TWO) == ["case c is there twice: give each case its own id"]


def test_the_digest_of_a_suite_does_not_depend_on_order_and_does_on_content():
    cases = [case(id=str(number)) for number in range(20)]
    shuffled = random.Random(1).sample(cases, 20)
    assert cases_digest(cases) == cases_digest(shuffled)
    assert cases_digest(cases) != cases_digest([*cases[:-1], case("incorrect", id="19")])


def test_a_case_brings_its_own_task_or_names_one():
    assert task_of(case(task={"id": "own"}), {"t": {"id": "named"}}) == {"id": "own"}
    assert task_of(case(), {"t": {"id": "named"}}) == {"id": "named"}
    assert task_of(case(), {}) is None
