"""Audits as they are known to a run, made from counts of cases."""

from schemas.evidence.audit import AuditReport, Determinism, Latency
from schemas.evidence.rates import Grade, Grading, Measurement
from schemas.known_audit import KnownAudit
from schemas.measures.confusion import Outcome, measure


def measured(fp: int, wrong: int, fn: int, right: int) -> Measurement:
    """``fp`` of ``wrong`` answers accepted, ``fn`` of ``right`` ones rejected, all independent."""
    outcomes = [Outcome(must_accept=False, accepted=index < fp) for index in range(wrong)]
    return measure([*outcomes, *(Outcome(must_accept=True, accepted=index >= fn) for index in range(right))])


def report_of(independent: Measurement | None, *, grade: str = "B", digest: str = "sha256:" + "0" * 64) -> AuditReport:
    """A report whose grade is based on that evidence; None: on the author's own 20 cases a side."""
    own = measured(0, 20, 0, 20)
    return AuditReport(
        subject="test/digits@1.0.0",
        digest=digest,
        suite_digest="sha256:" + "1" * 64,
        image_digest="",
        grade=Grade(grade),
        overall=own,
        rewards={},
        determinism=Determinism(repeats=1, flips=0),
        latency_ms=Latency(p50=None, p95=None, p99=None),
        grading=Grading(is_hollow=independent is None, reads=independent or own, independent=independent),
    )


def known_audit(
    *counts: int, grade: str = "B", audit: str = "audit-1", digest: str = "sha256:" + "0" * 64
) -> KnownAudit:
    """From (fp, wrong, fn, right); without counts there is no independent evidence."""
    report = report_of(measured(*counts) if counts else None, grade=grade, digest=digest)
    return KnownAudit.of(report, audit=audit, report_digest=f"sha256:{abs(hash((counts, grade))):064x}"[:71])
