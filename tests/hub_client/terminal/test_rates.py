"""Rates in words: a small one never reads as none, and what nobody measured never reads as good."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.terminal.rates import (
    grade_lines,
    interval_text,
    percent,
    rate_text,
    summary_text,
    unjudged_lines,
)
from schemas.evidence.audit import Failure
from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade, Rate, WorsePart
from schemas.measures.confusion import Outcome, measure
from schemas.measures.intervals import Interval
from schemas.package import AuditSummary
from tests.making.reports import make_report

ALL = measure([Outcome(must, must) for must in (True, False) for _ in range(1000)])
INDEPENDENT = measure([Outcome(must, must) for must in (True, False) for _ in range(200)])


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0 %"), (0.0123, "1.2 %"), (1.0, "100.0 %"), (0.0104, "1.04 %")])
def test_a_share_is_a_percentage(share, text):
    assert percent(share) == text


@given(st.floats(1e-9, 1 - 1e-9))
def test_only_nothing_reads_as_nothing_and_only_all_as_all(share):
    shown = percent(share).removesuffix(" %")
    assert shown in ("<0.000001", ">99.999999") or 0 < float(shown) < 100


def test_what_nobody_measured_is_said_so():
    assert rate_text(Rate(value=None, low=0.0, high=1.0)) == "unmeasured"
    assert summary_text(None) == "unmeasured"


def test_a_rate_comes_with_its_interval():
    assert rate_text(Rate(value=0.012, low=0.004, high=0.033)) == "1.2 % (0.4–3.3)"
    assert interval_text(Interval(value=0.125, low=0.022, high=0.471)) == "12.5 % (2.2 to 47.1)"


def summary(**more) -> AuditSummary:
    return AuditSummary(
        version="1.0.0",
        grade=Grade.B,
        overall=ALL,
        case_count=2000,
        audited_at=datetime(2026, 1, 1, tzinfo=UTC),
        **more,
    )


def test_the_rates_of_independent_cases_stand_beside_a_grade_that_reads_them():
    """A B beside "0.0 to 0.4 %" would look like a mistake: that is what an A needs."""
    said = summary_text(summary(reads=INDEPENDENT))
    assert "400 independent cases of 2000" in said
    assert "(0.0–1.9)" in said
    assert summary(reads=INDEPENDENT).graded is INDEPENDENT


def test_a_hollow_grade_says_so_and_counts_all_cases():
    said = summary_text(summary(reads=ALL, is_hollow=True))
    assert "hollow: by its author's cases alone" in said
    assert "2000 cases" in said
    assert "independent" not in said


def test_a_summary_of_an_older_hub_has_its_overall_rates():
    assert summary_text(summary()).endswith("2000 cases")


def test_what_lowers_a_grade_is_told_with_its_counts():
    worse = WorsePart(name="probe:leak_sign", side="fpr", errors=9, cases=12, grade=Grade.D)
    assert grade_lines([worse], ["label rollouts"]) == [
        "lowered to D by probe leak sign: 9 of 12 wrong answers accepted",
        "for a better grade: label rollouts",
    ]


def test_cases_without_a_verdict_are_counted_with_the_commonest_reason():
    failures = [
        Failure(case=str(number), expected="correct", got={}, origin="author", kind=kind, error=error)
        for number, (kind, error) in enumerate([("unscored", "b"), ("unscored", "a"), ("unscored", "a"), ("fp", "c")])
    ]
    overall = measure([Outcome(True, None)] * 3)
    told = unjudged_lines(make_report(failures=failures, overall=overall, case_count=20))
    assert told == ["3 of 20 cases not judged (beyond 2 % of a side they count as errors): a"]
    assert unjudged_lines(make_report()) == []
    probes = [
        failure.model_copy(update={"origin": Origin.PROBE, "error": f"{failure.error}\n  File x"})
        for failure in failures
    ]
    assert unjudged_lines(make_report(failures=probes, case_count=20)) == [
        "3 probes not judged (these count only where nothing but the response's form differs): a"
    ], "it said that 0 of 20 cases were not judged, with the probes' reason"
