"""Measured rates as words for a terminal."""

from schemas.audit import AuditReport, Grade, Measurement, Rate
from schemas.package import AuditSummary


def percent(share: float) -> str:
    """``0.0123`` -> ``1.2 %``."""
    return f"{share * 100:.1f} %"


def rate_text(rate: Rate) -> str:
    """``1.2 % (0.4–3.3)``, or ``unmeasured``."""
    if rate.value is None:
        return "unmeasured"
    return f"{percent(rate.value)} ({rate.low * 100:.1f}–{rate.high * 100:.1f})"


def measurement_text(measured: Measurement) -> str:
    """Both rates in one line, in the words that the pages use."""
    return f"accepts wrong {rate_text(measured.fpr)}, rejects right {rate_text(measured.fnr)}"


def summary_text(summary: AuditSummary | None) -> str:
    """The grade and both rates, or that nobody measured."""
    if summary is None or summary.grade is Grade.UNMEASURED:
        return "unmeasured"
    return f"grade {summary.grade}: {measurement_text(summary.overall)}, {summary.case_count} cases"


def report_text(report: AuditReport) -> str:
    """One line of a whole report."""
    return f"grade {report.grade}: {measurement_text(report.overall)}, {report.case_count} cases"
