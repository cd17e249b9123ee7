"""Labelled cases and reports: what a case must hold, and that reports survive their own JSON."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.audit import AuditCase, AuditReport, Determinism, Grade, Latency
from schemas.measures.confusion import Outcome, measure
from schemas.measures.grades import grade_of

CASE = {"id": "c1", "task_id": "t1", "response": "4", "label": "correct"}


@pytest.mark.parametrize("said", [{"response": ""}, {"messages": []}, {"state": {}}, {"files": {}}])
def test_an_empty_answer_is_an_answer(said):
    case = AuditCase.model_validate({"id": "c1", "task": {}, "label": "incorrect", **said})
    assert case.label == "incorrect"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"response": None}, "needs response"),
        ({"task_id": None}, "needs task or task_id"),
        ({"id": ""}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"label": "yes"}, "label"),
        ({"expect": {"a": "high"}}, "expect"),
        ({"files": {"a": 1}}, "files"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_case_that_cannot_be_run_is_refused(change, words):
    with pytest.raises(ValidationError, match=words):
        AuditCase.model_validate(CASE | change)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([True, False, None])), max_size=60))
def test_a_report_survives_its_own_json(pairs):
    overall = measure(Outcome(must, got) for must, got in pairs)
    report = AuditReport(
        subject="alice/judge@1.0.0",
        digest="sha256:" + "0" * 64,
        suite_digest="sha256:" + "1" * 64,
        image_digest="",
        grade=grade_of(overall),
        overall=overall,
        rewards={"right": overall},
        determinism=Determinism(repeats=1, flips=0),
        latency_ms=Latency(p50=None, p95=None, p99=None),
    )
    again = AuditReport.model_validate_json(report.model_dump_json())
    assert again == report
    assert overall.tp + overall.fp + overall.tn + overall.fn + overall.unscored == len(pairs)
    assert (again.grade is Grade.UNMEASURED) == (again.overall.fpr.value is None or again.overall.fnr.value is None)
