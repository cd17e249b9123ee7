"""What the audit page shows of a report: rows of ledgers, the grade in words, probe families on their sides."""

from collections.abc import Mapping, Sequence
from typing import Any

from hub_server.drawing.numbers import THIN, bound, count, rate
from hub_server.drawing.scale import BANDS, sides
from schemas.audit import AuditReport, Grade, Measurement, ProbeOutcome
from schemas.manifest import RewardDeclaration, RewardRole

FIRST_FAILURES = 20
LedgerRow = tuple[str, bool, Measurement, str]
"""Name, whether it is code, what was measured, the last column."""


def cases_in(measurement: Measurement) -> int:
    """All cases of a measurement, those not judged included."""
    m = measurement
    return m.tp + m.fp + m.tn + m.fn + m.unscored


def reward_rows(report: AuditReport, declared: Mapping[str, RewardDeclaration]) -> list[LedgerRow]:
    """Each reward that has a threshold, in declared order, with how often it was not judged."""
    names = [name for name in declared if name in report.rewards] + [n for n in report.rewards if n not in declared]
    logged = {name for name, reward in declared.items() if reward.role is RewardRole.METRIC}
    return [
        (name, True, report.rewards[name], count(report.rewards[name].unscored)) for name in names if name not in logged
    ]


def slice_rows(report: AuditReport, prefix: str) -> list[LedgerRow]:
    """Slices of one kind (``tag:``, ``origin:``), most cases first."""
    rows = [
        (name.removeprefix(prefix), False, measurement, count(cases_in(measurement)))
        for name, measurement in report.slices.items()
        if name.startswith(prefix)
    ]
    return sorted(rows, key=lambda row: (-cases_in(row[2]), row[0]))


def probe_sides(report: AuditReport) -> tuple[list[tuple[str, ProbeOutcome]], list[tuple[str, ProbeOutcome]]]:
    """Families that must stay right, and those that must stay wrong; widest failures first."""
    ordered = sorted(report.probes.items(), key=lambda item: (-item[1].failures, item[0]))
    right = [(name, outcome) for name, outcome in ordered if outcome.expects == "correct"]
    return right, [(name, outcome) for name, outcome in ordered if outcome.expects != "correct"]


def grade_words(report: AuditReport) -> tuple[str, str]:
    """A title and a sentence that say why the grade is what it is."""
    left, right = sides(report.overall)
    if report.grade is Grade.UNMEASURED:
        return "Not graded", "There are no cases, so both rates may be anything."
    if not (left.is_measured and right.is_measured):
        missing = "right answers" if not left.is_measured else "wrong answers"
        return f"Grade {report.grade}", f"There is no case with {missing}, so that side may be anything."
    wider = left if left.rate.high >= right.rate.high else right
    name = "rejects right" if wider is left else "accepts wrong"
    if left.rate.high == right.rate.high:
        said = f"Both jaws stand equally wide: at most {bound(wider.rate.high)}{THIN}%."
    else:
        said = f"The wider jaw is “{name}”: at most {bound(wider.rate.high)}{THIN}%."
    better = _next_better(report.grade)
    if better is not None:
        letter, limit = better
        article = "an" if letter in ("A", "F") else "a"
        said += f" For {article} {letter} both jaws must stand at or below {limit * 100:g}{THIN}%."
    return f"Grade {report.grade}, from the upper ends", said


def _next_better(grade: Grade) -> tuple[Grade, float] | None:
    letters = [letter for letter, _ in BANDS]
    at = letters.index(grade)
    return BANDS[at - 1] if at > 0 else None


def audit_lead(report: AuditReport, day: str) -> str:
    """The sentence under the audit's heading."""
    said = f"{count(report.case_count)} labelled cases, judged"
    said += f" on {day} in the sandbox of this hub." if day else " in the sandbox of this hub."
    repeats, flips = report.determinism.repeats, report.determinism.flips
    if repeats > 1:
        said += f" {repeats} repeats; {'no verdict' if not flips else count(flips)} flipped."
    return said


def unjudged_share(report: AuditReport) -> str:
    """How many of all cases got no verdict."""
    return rate(report.overall.unscored / max(1, cases_in(report.overall)))


def report_context(
    report: AuditReport, declared: Mapping[str, RewardDeclaration], limit_ms: float, *, all_failures: bool
) -> dict[str, Any]:
    """What ``audits/_report.html`` wants of the report itself."""
    title, words = grade_words(report)
    right, wrong = probe_sides(report)
    failures: Sequence[object] = report.failures if all_failures else report.failures[:FIRST_FAILURES]
    return {
        "report": report,
        "overall": report.overall,
        "rewards": declared,
        "reward_rows": reward_rows(report, declared),
        "slice_rows": slice_rows(report, "tag:"),
        "origin_rows": slice_rows(report, "origin:"),
        "probes_right": right,
        "probes_wrong": wrong,
        "grade_title": title,
        "grade_words": words,
        "failures": failures,
        "limit_ms": limit_ms,
    }
