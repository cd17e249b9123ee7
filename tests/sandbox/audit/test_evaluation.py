"""Cases and verdicts side by side: what was not judged is in no rate, and a report reproduces byte for byte."""

import pytest

from sandbox.audit.evaluation import (
    MAX_TASK_SLICES,
    SHOWN_ERROR_CHARACTERS,
    Judgement,
    failure_of,
    is_host_fault,
    measure_overall,
    measure_rewards,
    measure_slices,
    unscored_reasons,
)
from schemas.evidence.cases import AuditCase
from schemas.manifest import Manifest
from schemas.verdict import ErrorKind, Verdict

DECLARED = Manifest.from_toml(
    'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n[rewards.style]\nrole = "metric"\n'
).rewards


def judged(label="correct", correct=1.0, verdict=None, **case):
    fields = {"id": "c", "task_id": "t", "response": "r", "label": label} | case
    return Judgement(AuditCase(**fields), {"id": "t"}, verdict or Verdict(rewards={"correct": correct, "style": 0.5}))


def broken(kind, message="boom"):
    return Verdict.unjudged(["correct", "style"], kind, message)


@pytest.mark.parametrize(
    ("label", "correct", "cell", "kind"),
    [("correct", 1.0, "tp", None), ("correct", 0.0, "fn", "fn"), ("incorrect", 1.0, "fp", "fp"), ("incorrect", 0.0, "tn", None),
     ("correct", None, "unscored", "unscored"), ("incorrect", None, "unscored", "unscored")],
)  # fmt: skip
def test_each_outcome_is_counted_in_its_own_cell_and_shown_if_wrong(label, correct, cell, kind):
    one = judged(label, correct)
    found = measure_overall([one], DECLARED)
    counts = {name: getattr(found, name) for name in ("tp", "fp", "tn", "fn", "unscored")}
    assert counts == {name: int(name == cell) for name in counts}
    failure = failure_of(one, DECLARED)
    assert (failure.kind if failure else None) == kind


def test_what_was_not_judged_is_in_no_rate():
    found = measure_overall([judged(), judged("incorrect", 0.0), *[judged(correct=None)] * 50], DECLARED)
    assert (found.fnr.value, found.fpr.value, found.unscored) == (0.0, 0.0, 50)
    assert measure_rewards([], DECLARED)["correct"].fpr.value is None


def test_reasons_are_counted_by_kind():
    lost = Judgement(AuditCase(id="c", task_id="t", response="r", label="correct"), None, None)
    reasons = unscored_reasons(
        [judged(), judged(correct=None), judged(verdict=broken(ErrorKind.TIMEOUT)), lost, lost], DECLARED
    )
    assert reasons == {"not_judged": 1, "task_missing": 2, "timeout": 1}
    assert "no task t" in failure_of(lost, DECLARED).error


@pytest.mark.parametrize("offset", range(14))
def test_an_address_that_differs_from_run_to_run_is_nowhere_in_a_report(offset):
    """Also where the text is cut in the middle of it."""
    errors = set()
    for address in ("0x7f00aabbcc10", "0x55d1234567ff"):
        tail = "x" * (SHOWN_ERROR_CHARACTERS - offset)
        message = f"head {address}{' ' if offset % 2 else '>'}{tail[: SHOWN_ERROR_CHARACTERS - offset - 1]}"
        errors.add(failure_of(judged(verdict=broken(ErrorKind.VERIFIER_FAILED, message)), DECLARED).error)
    assert len(errors) == 1


def test_the_end_of_a_long_error_is_kept():
    failure = failure_of(judged(verdict=broken(ErrorKind.VERIFIER_FAILED, "x" * 5000 + "KeyError: 'a'")), DECLARED)
    assert failure.error.endswith("KeyError: 'a'")
    assert len(failure.error) < SHOWN_ERROR_CHARACTERS + 50


def test_slices_are_by_tag_origin_and_task_and_a_tag_given_twice_counts_once():
    cases = [
        judged(tags=["a", "a", "b"], task_id="t1"),
        judged("incorrect", 1.0, tags=["b"], task_id="t2", disputed=True),
    ]
    found = measure_slices(cases, DECLARED)
    assert list(found) == ["disputed", "origin:author", "tag:a", "tag:b", "task:t1", "task:t2"]
    assert (found["tag:a"].tp, found["tag:b"].tp, found["tag:b"].fp, found["disputed"].fp) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("tasks", "shown"), [(1, 0), (2, 2), (MAX_TASK_SLICES, MAX_TASK_SLICES), (MAX_TASK_SLICES + 1, 0)]
)
def test_too_many_tasks_or_only_one_make_no_slices(tasks, shown):
    found = measure_slices([judged(task_id=f"t{number}") for number in range(tasks)], DECLARED)
    assert sum(name.startswith("task:") for name in found) == shown


def test_a_fault_of_ours_says_nothing_of_the_verifier():
    assert is_host_fault(broken(ErrorKind.HOST))
    assert not is_host_fault(broken(ErrorKind.TIMEOUT))
    assert not is_host_fault(Verdict(rewards={}))
    assert not is_host_fault(None)


def test_a_reward_is_measured_by_others_cases_where_they_speak_of_both_sides():
    """600 easy cases of the author's made 14 % of the 35 % that others found; the page showed it beside the grade."""
    own = [judged("incorrect", 0.0, id=f"a{n}", origin="author") for n in range(600)]
    others = [judged("incorrect", float(n < 7), id=f"h{n}", origin="held") for n in range(20)]
    right = [judged("correct", 1.0, id=f"r{n}", origin="held") for n in range(20)]
    alone = measure_rewards([*own, *others, *right], DECLARED)["correct"]
    assert (alone.fp, alone.tn) == (7, 13)
    one_sided = measure_rewards([*own, *others], DECLARED)["correct"]
    assert (one_sided.fp, one_sided.tn) == (7, 613)
