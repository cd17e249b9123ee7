"""Labelled cases and reports: what a case must hold, and that reports survive their own JSON."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.evidence.audit import (
    AuditCase,
    AuditRecord,
    AuditReport,
    BatchDispute,
    CaseEvent,
    CounterExample,
    Determinism,
    Latency,
    Origin,
    Reason,
    Ruling,
    SigningKeys,
)
from schemas.measures.confusion import Outcome, measure
from schemas.measures.grades import grade_of
from tests.making.wire import check_wire, refusal

NOW = "2030-01-02T00:00:00Z"
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
    assert again.grade is grade_of(again.overall)


def test_what_only_a_hub_may_claim_is_taken_from_a_packages_own_case() -> None:
    claimed = AuditCase.model_validate(CASE | {"origin": "suite", "first_look": True, "tags": ["x"], "cluster": "form"})
    own = claimed.as_authors
    assert (own.origin, own.first_look, own.origin.is_independent) == (Origin.AUTHOR, False, False)
    assert own == claimed.model_copy(update={"origin": Origin.AUTHOR, "first_look": False}), "all else stays"


def test_what_an_author_chose_or_nobody_seconded_is_not_independent() -> None:
    assert {origin.value for origin in Origin if not origin.is_independent} == {"author", "reported", "probe"}


def test_counter_examples_travel_with_their_history() -> None:
    event = {"at": NOW, "by": "bob", "what": "submitted", "label": "correct", "state": "open"}
    check_wire(CaseEvent, event | {"version": "1.0.0", "reason": "r"})
    found = check_wire(
        CounterExample,
        {"id": "x", "package": "al/judge", "case": CASE, "state": "confirmed", "submitted_by": "bob", "submitted_at": NOW,
         "against": "1.0.0", "verdicts": {"1.0.0": {"correct": 0.0, "style": None}}, "history": [event]},
    )  # fmt: skip
    assert isinstance(found, CounterExample)
    assert found.verdicts["1.0.0"] == {"correct": 0.0, "style": None}, "not judged stays null and is no zero"
    assert (found.hidden_reason, found.counted_by, found.fixed_in) == (None, "", None)


def test_an_audit_that_has_no_report_yet_travels_and_so_do_keys() -> None:
    check_wire(
        AuditRecord, {"id": "a", "package": "al/judge", "version": "1.0.0", "state": "queued", "created_at": NOW}
    )
    check_wire(SigningKeys, {"items": [{"id": "k", "public_key": "AAAA", "is_current": True}]})
    assert "algorithm" in refusal(SigningKeys, {"items": [{"id": "k", "public_key": "AAAA", "algorithm": "none"}]})


@pytest.mark.parametrize(
    ("model", "sent", "field"),
    [
        (BatchDispute, {"reason": ""}, "reason"),
        (BatchDispute, {"cases": ["x"]}, "reason"),
        (BatchDispute, {"reason": "r", "cases": ["x"] * 1001}, "cases"),
        (Reason, {"reason": "x" * 2001}, "reason"),
        (Ruling, {"ruling": "fixed"}, "ruling"),
        (CaseEvent, {"at": NOW, "by": "bob", "what": "deleted", "label": "correct", "state": "open"}, "what"),
    ],
)
def test_requests_about_cases_have_bounds(model, sent, field) -> None:
    assert field in refusal(model, sent)


def test_a_bare_report_claims_nothing_that_was_not_measured() -> None:
    nothing = measure([])
    report = AuditReport.model_validate({
        "subject": "alice/judge@1.0.0", "digest": "sha256:" + "0" * 64, "suite_digest": "sha256:" + "1" * 64,
        "image_digest": "", "grade": "U", "overall": nothing.model_dump(), "rewards": {},
        "determinism": {"repeats": 1, "flips": 0}, "latency_ms": {"p50": None, "p95": None, "p99": None},
    })  # fmt: skip
    assert (report.grading, report.values, report.youden_j, report.signature) == (None, None, None, None)
    assert (report.overall.fpr.value, report.overall.fnr.value, report.overall.j) == (None, None, None)
    assert (report.overall.fpr.low, report.overall.fpr.high) == (0.0, 1.0), "anything may be true"
    assert (report.failures, report.probes, report.judge_model) == ([], {}, "")


def test_verdicts_are_kept_for_comparing_and_never_written() -> None:
    """They name held cases, which nobody may see."""
    overall = measure([Outcome(True, True)])
    report = AuditReport(
        subject="alice/judge@1.0.0", digest="sha256:" + "0" * 64, suite_digest="sha256:" + "1" * 64, image_digest="",
        grade=grade_of(overall), overall=overall, rewards={}, determinism=Determinism(repeats=1, flips=0),
        latency_ms=Latency(p50=None, p95=None, p99=None), verdicts={"key": ("held-17", False)},
    )  # fmt: skip
    assert "held-17" not in report.model_dump_json()
    assert AuditReport.model_validate_json(report.model_dump_json()).verdicts == {}


@pytest.mark.parametrize("origin", list(Origin))
def test_a_package_cannot_claim_an_origin(origin: Origin) -> None:
    case = AuditCase.model_validate(CASE | {"origin": origin, "first_look": True})
    assert case.as_authors.origin is Origin.AUTHOR
    assert case.as_authors.first_look is False
    assert case.as_authors.as_authors == case.as_authors


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_an_expected_reward_is_a_finite_number(number: str) -> None:
    text = f'{{"id": "c1", "task_id": "t", "response": "4", "label": "correct", "expect": {{"right": {number}}}}}'
    with pytest.raises(ValidationError):
        AuditCase.model_validate_json(text)


def test_a_cluster_has_a_short_name() -> None:
    assert AuditCase.model_validate(CASE | {"cluster": "x" * 200}).cluster
    assert "cluster" in refusal(AuditCase, CASE | {"cluster": "x" * 201})
