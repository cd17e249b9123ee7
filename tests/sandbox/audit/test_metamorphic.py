"""Pairs that an author registers: what contradicts a relation, what does not count, and what nobody can hide behind."""

import asyncio

import pytest

from sandbox.audit import render_markdown, render_terminal, run_audit
from sandbox.audit.metamorphic import MOST_PAIRS
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade

TASK = {"id": "t", "prompt": "How much?", "answer": "1234"}
BY_FUNCTION = '[probes]\npairs = "al_check:pairs"'
CASES = [AuditCase(id=f"c{n}", task=TASK | {"id": f"t{n}"}, response=f"{n}", label="incorrect") for n in range(3)]


def pair(before, after, relation="same", rewriting="commas", **more):
    sides = {"before": {"response": before}, "after": {"response": after}}
    return {"rewriting": rewriting, "relation": relation, "task": TASK, **sides, **more}


def literal(call):
    return {"correct": float(call.response == call.task["answer"])}


def measured(judge, source, **options):
    options = {"tasks": {}, "subject": "al/check@1.0"} | options
    return asyncio.run(run_audit(judge, source, CASES, **options))


def outcome_of(judge_of, make_source, verify, *rows):
    return measured(judge_of(verify, list(rows)), make_source(extra=BY_FUNCTION)).metamorphic


def test_a_pair_contradicts_where_the_verdict_changes_and_must_not(judge_of, make_source):
    rows = [pair("1234", "1,234"), pair("99", "9,9"), pair("1234", "1234")]
    found = outcome_of(judge_of, make_source, literal, *rows)["commas"]
    assert (found.pairs, found.broken, found.accepted, found.unscored) == (3, 1, 2, 0)
    assert found.mean_change == pytest.approx(1 / 3)
    [shown] = found.examples
    assert (shown.before, shown.after, shown.accepted) == ("1234", "1,234", True)
    assert shown.task["answer"] == "1234"


def test_a_pair_contradicts_where_the_verdict_stays_and_must_change(judge_of, make_source):
    rows = [pair("1234", "-1234", "different", "sign"), pair("1234", "1,234", "different", "sign")]
    takes_all = outcome_of(judge_of, make_source, lambda _: {"correct": 1.0}, *rows)["sign"]
    assert (takes_all.broken, takes_all.accepted) == (2, 2)
    assert outcome_of(judge_of, make_source, literal, *rows)["sign"].broken == 0


def test_a_verifier_that_accepts_nothing_keeps_every_pair_and_the_report_says_so(judge_of, make_source):
    found = outcome_of(judge_of, make_source, lambda _: {"correct": 0.0}, pair("1234", "1,234"))["commas"]
    assert (found.broken, found.accepted, found.pairs) == (0, 0, 1)


def test_what_is_not_judged_contradicts_nothing(judge_of, make_source):
    def silent(call):
        return {"correct": None} if "," in call.response else literal(call)

    found = outcome_of(judge_of, make_source, silent, pair("1234", "1,234"))["commas"]
    assert (found.broken, found.unscored, found.mean_change) == (0, 1, None)


def test_partial_credit_that_no_threshold_sees_shows_as_change(judge_of, make_source):
    found = outcome_of(
        judge_of, make_source, lambda call: {"correct": 0.9 if "," in call.response else 0.6}, pair("1234", "1,234")
    )
    assert found["commas"].broken == 0
    assert found["commas"].mean_change == pytest.approx(0.3)


def test_a_rewriting_may_change_the_task(judge_of, make_source):
    row = pair("1234", "1235", "same", "scaled") | {"after": {"task": TASK | {"answer": "1235"}, "response": "1235"}}
    assert outcome_of(judge_of, make_source, literal, row)["scaled"].broken == 0


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"rewriting": "x"}], "row 0: row without relation: every row needs one; row without before: "),
        ([pair("1", "2"), pair("1", "2", "different")], "use two names"),
    ],
)
def test_a_function_that_makes_no_sound_pairs_is_shown_as_failed_and_the_audit_goes_on(
    judge_of, make_source, rows, said
):
    report = measured(judge_of(literal, rows), make_source(extra=BY_FUNCTION))
    found = report.metamorphic["pairs"]
    assert found.pairs == 0
    assert found.fault.startswith("al_check:pairs failed")
    assert report.case_count == 3
    assert said in found.fault


def test_pairs_count_in_no_rate_no_grade_and_no_list_of_failures(judge_of, make_source):
    rows = [pair("1234", "1,234")] * 50
    without = measured(judge_of(literal), make_source())
    with_pairs = measured(judge_of(literal, rows), make_source(extra=BY_FUNCTION))
    assert with_pairs.metamorphic["commas"].broken == 50
    assert with_pairs.overall == without.overall
    assert with_pairs.grade is without.grade is Grade.UNMEASURED
    assert [one.case for one in with_pairs.failures] == [one.case for one in without.failures]


def test_a_flood_of_pairs_is_cut(judge_of, make_source):
    judge = judge_of(literal, [pair("1234", "1,234")] * (MOST_PAIRS + 50))
    assert measured(judge, make_source(extra=BY_FUNCTION)).metamorphic["commas"].pairs == MOST_PAIRS


def test_no_probes_means_no_pairs(judge_of, make_source):
    judge = judge_of(literal, [pair("1234", "1,234")])
    assert measured(judge, make_source(extra=BY_FUNCTION), probes=False).metamorphic == {}


def test_both_texts_tell_of_the_pairs(judge_of, make_source):
    report = measured(judge_of(literal, [pair("1234", "1,234")]), make_source(extra=BY_FUNCTION))
    assert "rewritings that the author registered" in render_terminal(report)
    assert "1 of 1" in render_terminal(report)
    assert "## Rewritings that the author registered" in render_markdown(report)
