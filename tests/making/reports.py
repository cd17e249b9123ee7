"""Audit reports for tests, from counts."""

from typing import Any

from schemas.evidence.audit import AuditReport, Determinism, Latency
from schemas.measures.confusion import Outcome, measure, youden_j
from schemas.measures.grades import grade_of


def make_report(tp: int = 30, fp: int = 0, tn: int = 30, fn: int = 0, **changes: Any) -> AuditReport:
    """A report of one reward with these counts; every field may be replaced."""
    outcomes = [Outcome(True, True)] * tp + [Outcome(False, True)] * fp
    found = measure([*outcomes, *[Outcome(False, False)] * tn, *[Outcome(True, False)] * fn])
    fields: dict[str, Any] = {
        "subject": "al/check@1.2.0",
        "digest": "sha256:" + "1" * 64,
        "suite_digest": "sha256:" + "2" * 64,
        "image_digest": "sha256:" + "3" * 64,
        "grade": grade_of(found),
        "overall": found,
        "rewards": {"correct": found},
        "determinism": Determinism(repeats=2, flips=0),
        "latency_ms": Latency(p50=1.0, p95=2.0, p99=3.0),
        "youden_j": youden_j(found),
        "case_count": tp + fp + tn + fn,
    }
    return AuditReport(**(fields | changes))
