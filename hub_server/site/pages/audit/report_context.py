"""What the audit page shows of a report: rows, the grade in words, probe families on their sides."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from hub_server.audits.rules.cases import COMMUNITY_PREFIX
from hub_server.site.drawing.numbers import THIN, bound, count, rate
from hub_server.site.drawing.scale import BANDS, sides
from hub_server.site.sections.audit_rows import ORIGIN_WORDS, LedgerRow, cases_in, reward_rows
from schemas.evidence.audit import AuditReport, Failure
from schemas.evidence.cases import Origin
from schemas.evidence.part_words import part_words
from schemas.evidence.rates import Grade, Measurement, ProbeOutcome
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.first_look_words import first_look_words
from schemas.measures.grades import grade_of, groups_text, is_worse
from schemas.measures.seen import unjudged_words
from schemas.names import names_package

FIRST_FAILURES = 20
FIRST_SLICES = 8
"""Slices that are shown at once; the others, with fewer cases each, are folded."""

_MOST_ADDRESS = 6000  # characters; servers and browsers cut longer addresses

_CUT = re.compile(r"… \(\d+ characters\)$")  # as the audit marks a response that it did not keep whole


def origin_rows(report: AuditReport) -> list[LedgerRow]:
    """The origins of the cases, those that count most for the grade first."""
    return [
        (words + _clusters_text(found), False, found, count(cases_in(found)))
        for origin, words in ORIGIN_WORDS.items()
        if (found := report.slices.get(f"origin:{origin}")) is not None
    ]


def _clusters_text(found: Measurement) -> str:
    """``, 28 clusters a side``: without the number of clusters nobody sees why 0 of 150 may be 12 %."""
    groups = {rate.clusters: groups_text(rate) for rate in (found.fpr, found.fnr) if rate.clusters is not None}
    if not groups:
        return ""
    return f", {groups[min(groups)]}{' or more' if len(groups) > 1 else ''} a side"


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
    grading = report.grading
    left, right = sides(report.overall if grading is None or grading.reads is None else grading.reads)
    if report.grade is Grade.UNMEASURED:
        return _unrated_words(report)
    if not (left.is_measured and right.is_measured):
        missing = "right answers" if not left.is_measured else "wrong answers"
        return f"Grade {report.grade}", f"There is no case with {missing}, so that side may be anything."
    said = _upper_bound_words(left.rate.high, right.rate.high)
    if grading is not None and grading.pulled:
        by_bounds = grade_of(grading.reads)
        alone = f" By them alone it would be {by_bounds}." if by_bounds is not report.grade else ""
        part = part_words(grading.pulled[0].name)
        return f"Grade {report.grade}, lowered", f"The part “{part}” is surely worse. {said}{alone}"
    by_bounds = report.grade if grading is None else grade_of(grading.reads)
    if is_worse(report.grade, by_bounds):
        said += f" By that alone the grade would be {by_bounds}."
    elif (better := _next_better(report.grade)) is not None:
        letter, limit = better
        article = "an" if letter in ("A", "F") else "a"
        said += f" For {article} {letter} both must be at most {limit * 100:g}{THIN}%."
    if grading is not None and grading.is_hollow:
        return f"Grade {report.grade}, from its author's cases", f"Nobody else's cases support it: at most C. {said}"
    if grading is not None and is_worse(report.grade, by_bounds):
        return f"Grade {report.grade}, capped", " ".join([said, *grading.capped])
    return f"Grade {report.grade}, from the upper bounds", said


def _upper_bound_words(rejects_right: float, accepts_wrong: float) -> str:
    """Which of the two rates has the larger upper bound, which decides the grade."""
    if rejects_right == accepts_wrong:
        return f"Both rates have the same upper bound: {bound(accepts_wrong)}{THIN}%."
    name = "rejects right" if rejects_right > accepts_wrong else "accepts wrong"
    return f"The larger upper bound is that of “{name}”: {bound(max(rejects_right, accepts_wrong))}{THIN}%."


def _unrated_words(report: AuditReport) -> tuple[str, str]:
    if not cases_in(report.overall):
        return "Not graded", "There are no cases, so both rates may be anything."
    needs = report.grading.missing if report.grading is not None else []
    return "Grade U, unrated", " ".join(["Too few independent cases for any grade.", *needs])


def _next_better(grade: Grade) -> tuple[Grade, float] | None:
    letters = [letter for letter, _ in BANDS]
    at = letters.index(grade)
    return BANDS[at - 1] if at > 0 else None


def audit_lead(report: AuditReport, day: str) -> str:
    """The sentence under the audit's heading."""
    groups = [groups_text(rate) for rate in (report.overall.fpr, report.overall.fnr) if rate.clusters is not None]
    said = f"{count(report.case_count)} labelled cases{f' ({groups[0]})' if groups else ''}, judged"
    said += f" on {day} in the sandbox of this hub." if day else " in the sandbox of this hub."
    repeats, flips = report.determinism.repeats, report.determinism.flips
    if repeats > 1:
        said += f" {repeats} repeats; {'no verdict' if not flips else count(flips)} flipped."
    return said


def unjudged_share(report: AuditReport) -> str:
    """How many of all cases got no verdict."""
    return rate(report.overall.unscored / max(1, cases_in(report.overall)))


def try_url(release_url: str, failure: Failure) -> str:
    """Where a failure can be tried, with task and response filled in; empty where they do not fit into an address."""
    if failure.task is None or failure.response is None or _CUT.search(failure.response):
        return ""
    task = json.dumps({"prompt": "", **failure.task}, ensure_ascii=False)
    query = urlencode({"task": task, "response": failure.response}, errors="replace")
    return f"{release_url}/try?{query}" if len(query) <= _MOST_ADDRESS else ""


def reward_gaps(failure: Failure, declared: Mapping[str, RewardDeclaration]) -> list[str]:
    """How far each reward that is wrong is from what the case says of it, else from its threshold.

    ``correct 0.4 instead of 1 (−0.6)``, or ``correct 0, accepted from 0.5 (−0.5)`` where the case has a label only.
    """
    known = {
        name: (value, declared[name]) for name, value in failure.got.items() if value is not None and name in declared
    }
    stated = failure.expected if isinstance(failure.expected, dict) else {}
    wrong = [
        f"{name} {_plain(value)} instead of {_plain(stated[name])} ({_signed(value - stated[name])})"
        for name, (value, reward) in known.items()
        if name in stated and (value >= reward.threshold) is not (stated[name] >= reward.threshold)
    ]
    return wrong or [
        f"{name} {_plain(value)}, accepted from {_plain(reward.threshold)} ({_signed(value - reward.threshold)})"
        for name, (value, reward) in known.items()
        if failure.kind != "unscored"
        and reward.role is not RewardRole.METRIC
        and (value >= reward.threshold) is (failure.kind == "fp")
    ]


def _plain(value: float) -> str:
    """Without zeros at the end: a threshold is stated and not measured."""
    return f"{value:.6g}".replace("-", "−")


def _signed(difference: float) -> str:
    return f"+{_plain(difference)}" if difference > 0 else _plain(difference)


def counter_example_id(failure: Failure) -> str:
    """The id of the counter-example that failed; empty where it is another case."""
    return failure.case.removeprefix(COMMUNITY_PREFIX) if failure.case.startswith(COMMUNITY_PREFIX) else ""


def label_report_url(failure: Failure) -> str:
    """Where the label of a suite's case can be reported, with the case filled in; empty for other cases."""
    suite, _, case = failure.case.partition(":")
    is_published = failure.origin in (Origin.SUITE, Origin.REPORTED) and names_package(suite)
    return f"/packages/{suite}?{urlencode({'report': case})}#reported" if is_published and case else ""


def report_context(
    report: AuditReport, declared: Mapping[str, RewardDeclaration], limit_ms: float, *, all_failures: bool
) -> dict[str, Any]:
    """What ``audit/_report.html`` wants of the report itself."""
    title, words = grade_words(report)
    right, wrong = probe_sides(report)
    slices = slice_rows(report, "tag:")
    graded = report.overall if report.grading is None else report.grading.reads or report.overall
    failures: Sequence[object] = report.failures if all_failures else report.failures[:FIRST_FAILURES]
    return {
        "report": report,
        "overall": graded,
        "unjudged": unjudged_words(report.overall, graded, report.case_count),
        "grading": report.grading,
        "first_look": first_look_words(report.grading.first_look, report.grading.known) if report.grading else "",
        "part_words": part_words,
        "rewards": declared,
        "reward_rows": reward_rows(report, declared),
        "slice_rows": slices[:FIRST_SLICES],
        "more_slice_rows": slices[FIRST_SLICES:],
        "origin_rows": origin_rows(report),
        "probes_right": right,
        "probes_wrong": wrong,
        "grade_title": title,
        "grade_words": words,
        "failures": failures,
        "limit_ms": limit_ms,
        "try_url": try_url,
        "reward_gaps": reward_gaps,
        "counter_example_id": counter_example_id,
        "label_report_url": label_report_url,
    }
