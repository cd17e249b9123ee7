"""Audit reports: they survive their own JSON and claim nothing that was not measured."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence.audit import AuditRecord, AuditReport, Determinism, Latency
from schemas.evidence.cases import Origin
from schemas.measures.confusion import Outcome, measure
from schemas.measures.grades import grade_of
from tests.making.wire import check_wire

NOW = "2030-01-02T00:00:00Z"
CASE = {"id": "c1", "task_id": "t1", "response": "4", "label": "correct"}


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


def test_what_an_author_chose_or_nobody_seconded_is_not_independent() -> None:
    assert {origin.value for origin in Origin if not origin.is_independent} == {"author", "reported", "probe"}


def test_an_audit_that_has_no_report_yet_travels() -> None:
    check_wire(
        AuditRecord, {"id": "a", "package": "al/judge", "version": "1.0.0", "state": "queued", "created_at": NOW}
    )


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
