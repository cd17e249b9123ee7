"""Measured rates as text for a terminal."""

from collections import Counter
from collections.abc import Sequence

from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import Origin
from schemas.evidence.part_words import part_words
from schemas.evidence.rates import Grade, Measurement, Rate, WorsePart
from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.intervals import Interval
from schemas.measures.percents import in_percent
from schemas.measures.seen import UNJUDGED_ALLOWED
from schemas.package import AuditSummary
from schemas.wording import counted, uncapitalised


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
    if summary is None or (summary.grade is Grade.UNMEASURED and not summary.case_count):
        return "unmeasured"
    grade = grade_text(summary.grade, is_hollow=summary.is_hollow)
    cases = _cases_text(summary.graded, summary.case_count, is_hollow=summary.is_hollow)
    return f"{grade}: {measurement_text(summary.graded)}, {cases}"


def report_text(report: AuditReport) -> str:
    """One line of a whole report."""
    hollow = report.grading is not None and report.grading.is_hollow
    graded = report.overall if report.grading is None else report.grading.reads or report.overall
    cases = _cases_text(graded, report.case_count, is_hollow=hollow)
    return f"{grade_text(report.grade, is_hollow=hollow)}: {measurement_text(graded)}, {cases}"


def unjudged_lines(report: AuditReport) -> list[str]:
    """How many cases have no verdict, and how many probes, each with the commonest reason.

    Of probes only the reason's first line, without the traceback: many ask what a package need not know, such as a
    name as the answer to a sum.
    """
    unjudged = [failure for failure in report.failures if failure.kind == "unscored"]
    reasons = Counter(failure.error for failure in unjudged if failure.origin is not Origin.PROBE)
    of_probes = Counter(failure.error.partition("\n")[0] for failure in unjudged if failure.origin is Origin.PROBE)
    counts = "these count only where nothing but the response's form differs"
    count = counted(of_probes.total(), "probe")
    probes = [f"{count} not judged ({counts}): {of_probes.most_common(1)[0][0]}"] if of_probes else []
    if not reasons:
        return probes
    share = f"{report.overall.unscored} of {counted(report.case_count, 'case')}"
    limit = f"beyond {100 * UNJUDGED_ALLOWED:g} % of a side they count as errors"
    return [f"{share} not judged ({limit}): {reasons.most_common(1)[0][0]}", *probes]


def _cases_text(graded: Measurement, case_count: int, *, is_hollow: bool) -> str:
    """``96 cases``, or ``800 independent cases of 1950``: the rates beside it are those of the cases it counts."""
    count = graded.tp + graded.fp + graded.tn + graded.fn + graded.unscored
    if is_hollow or count == case_count:
        return counted(case_count, "case")
    return f"{counted(count, 'independent case')} of {case_count}"


def grade_text(grade: Grade, *, is_hollow: bool) -> str:
    """``grade B``, ``grade C (hollow: by its author's cases alone)`` or ``grade U (unrated: …)``."""
    if grade is Grade.UNMEASURED:
        return "grade U (unrated: too few independent cases)"
    return f"grade {grade} (hollow: by its author's cases alone)" if is_hollow else f"grade {grade}"


def grade_lines(worse: Sequence[WorsePart], needs: Sequence[str]) -> list[str]:
    """What limits a grade, and what would improve it; one line each."""
    words = {"fpr": "wrong answers accepted", "fnr": "right answers rejected"}
    lines = [
        f"lowered to {part.grade} by {part_words(part.name)}: {part.errors} of {part.cases} {words[part.side]}"
        for part in worse
    ]
    return [*lines, *(f"for a better grade: {uncapitalised(need)}" for need in needs)]
