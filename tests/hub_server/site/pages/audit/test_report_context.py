"""A report in words and rows."""

import pytest

from hub_server.site.pages.audit import report_context as audits
from schemas.evidence.rates import Grade, Grading, Measurement, Pull
from schemas.measures.confusion import Outcome, measure
from tests.hub_server.site import samples


def test_a_grade_says_which_rate_gave_it_and_what_a_better_one_takes() -> None:
    title, words = audits.grade_words(samples.report())
    assert title == "Grade B, from the upper bounds"
    assert "“rejects right”: 2.5\u202f%" in words
    assert "For an A both must be at most 1\u202f%" in words


def test_a_report_with_one_side_only_says_so() -> None:
    report = samples.report().model_copy(update={"overall": samples.measured(0, 0, 1, 40), "grade": Grade.F})
    assert "no case with right answers" in audits.grade_words(report)[1]


def test_probes_stand_on_the_side_where_they_can_fail() -> None:
    right, wrong = audits.probe_sides(samples.report())
    assert right[0][0] == "equivalent_rewrite"
    assert {name for name, _ in wrong} >= {"answer_leaked", "empty"}


def of(right: int, rejected: int, wrong: int, accepted: int, *, form: str | None = None) -> Measurement:
    """``right`` answers of which some were ``rejected``, and ``wrong`` ones; all of one form where it is named."""
    groups = (None, form) if form else ()
    sides = [(True, n >= rejected) for n in range(right)] + [(False, n < accepted) for n in range(wrong)]
    return measure(Outcome(must, was, groups) for must, was in sides)


def test_what_was_there_before_the_release_is_all_but_the_first_look() -> None:
    """The author's cases alone stood there, at 0 %, while a published suite found 7 of 236."""
    first, report = of(150, 0, 150, 3), samples.report()
    shown = [
        audits.known_shares(report.model_copy(update={"grading": grading}))
        for grading in (
            Grading(first_look=first, independent=of(386, 7, 414, 3)),
            Grading(first_look=first, independent=first),
            Grading(),
        )
    ]
    assert shown == [(500, 0.0, pytest.approx(7 / 236)), None, None]


def test_an_origin_tells_how_many_forms_its_cases_have() -> None:
    slices = {"origin:held": of(20, 0, 20, 0, form="f"), "origin:author": of(3, 0, 4, 0)}
    rows = audits.origin_rows(samples.report().model_copy(update={"slices": slices}))
    assert [row[0] for row in rows] == ["held by the hub, 1 form a side", "the author’s cases"]
    assert [row[3] for row in rows] == ["40", "7"], "a sentence in this narrow column pushed the page sideways"


def test_hundreds_of_tags_are_folded_away_and_none_is_lost() -> None:
    slices = {f"tag:t{n:03}": of(n + 1, 0, 1, 0) for n in range(150)}
    shown = audits.report_context(
        samples.report().model_copy(update={"slices": slices}), {}, limit_ms=1.0, all_failures=False
    )
    first, more = shown["slice_rows"], shown["more_slice_rows"]
    assert [row[0] for row in first[:2]] == ["t149", "t148"]
    assert (len(first), len(more)) == (audits.FIRST_SLICES, 150 - audits.FIRST_SLICES)


def test_a_grade_that_a_part_pulled_down_does_not_ask_for_bounds_that_are_met() -> None:
    """It said F, and "for a D both must be at most 30 %" beside an upper bound of 14 %."""
    pull = Pull(name="probe:leak_negated", side="fpr", errors=12, cases=12, grade=Grade.F)
    grading = Grading(reads=of(400, 7, 400, 39), pulled=[pull])
    title, words = audits.grade_words(samples.report().model_copy(update={"grade": Grade.F, "grading": grading}))
    assert title == "Grade F, pulled down"
    assert "is surely worse" in words
    assert words.endswith("By them alone it would be D.")
    assert "must be at most" not in words
