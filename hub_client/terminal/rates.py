"""Measured rates as text for a terminal."""

from schemas.audit import AuditReport, Grade, Measurement, Rate
from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.intervals import Interval
from schemas.measures.percents import in_percent
from schemas.package import AuditSummary
from schemas.wording import counted


def percent(share: float) -> str:
    """``0.0123`` -> ``1.2 %``; more decimals where it would read as 0 or as another grade."""
    return f"{in_percent(share, 1, GRADE_LIMITS)} %"


def rate_text(rate: Rate) -> str:
    """``1.2 % (0.4–3.3)``, or ``unmeasured``."""
    if rate.value is None:
        return "unmeasured"
    low, high = (in_percent(end, 1, GRADE_LIMITS) for end in (rate.low, rate.high))
    return f"{percent(rate.value)} ({low}–{high})"


def interval_text(share: Interval) -> str:
    """A pass rate: ``12.5 % (2.2 to 47.1)``."""
    value, low, high = (in_percent(end, 1) for end in (share.value, share.low, share.high))
    return f"{value} % ({low} to {high})"


def measurement_text(measured: Measurement) -> str:
    """Both rates in one line, in the words that the pages use."""
    return f"accepts wrong {rate_text(measured.fpr)}, rejects right {rate_text(measured.fnr)}"


def summary_text(summary: AuditSummary | None) -> str:
    """The grade and both rates, or ``unmeasured``."""
    if summary is None or summary.grade is Grade.UNMEASURED:
        return "unmeasured"
    return f"grade {summary.grade}: {measurement_text(summary.overall)}, {counted(summary.case_count, 'case')}"


def report_text(report: AuditReport) -> str:
    """One line of a whole report."""
    return f"grade {report.grade}: {measurement_text(report.overall)}, {counted(report.case_count, 'case')}"
