"""A report in words and rows."""

import pytest

from hub_server.site.pages.audit import report_context as audits
from schemas.evidence.rates import Grade, Grading, Measurement, WorsePart
from schemas.manifest import RewardDeclaration, RewardRole
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


def test_a_grade_that_a_part_lowered_does_not_ask_for_bounds_that_are_met() -> None:
    """It said F, and "for a D both must be at most 30 %" beside an upper bound of 14 %."""
    worse = WorsePart(name="probe:leak_negated", side="fpr", errors=12, cases=12, grade=Grade.F)
    grading = Grading(reads=of(400, 7, 400, 39), pulled=[worse])
    title, words = audits.grade_words(samples.report().model_copy(update={"grade": Grade.F, "grading": grading}))
    assert title == "Grade F, lowered"
    assert words.startswith("The part “probe leak negated” is surely worse. ")
    assert words.endswith("By them alone it would be D.")
    assert "must be at most" not in words


def test_a_capped_grade_does_not_ask_for_bounds_that_are_met() -> None:
    """It said "from the upper bounds" and "for an A both must be at most 1 %" beside two bounds below 1 %."""
    reason = "With fewer than 9 cases a side that the author could not know, the grade is at most B."
    grading = Grading(reads=of(900, 0, 900, 0), capped=[reason])
    title, words = audits.grade_words(samples.report().model_copy(update={"grade": Grade.B, "grading": grading}))
    assert title == "Grade B, capped"
    assert words.endswith(f"By that alone the grade would be A. {reason}")
    assert "must be at most" not in words


def test_a_hollow_grade_asks_for_smaller_bounds_only_where_they_would_help() -> None:
    def words_at(reads: Measurement) -> str:
        grading = Grading(is_hollow=True, reads=reads)
        return audits.grade_words(samples.report().model_copy(update={"grade": Grade.C, "grading": grading}))[1]

    assert "By that alone the grade would be A." in words_at(of(900, 0, 900, 0))
    assert "For a B both must be at most 3\u202f%" in words_at(of(100, 0, 100, 0))


VECTOR = {
    "correct": RewardDeclaration(),
    "style": RewardDeclaration(threshold=0.8),
    "runs": RewardDeclaration(role=RewardRole.GATE),
    "length": RewardDeclaration(role=RewardRole.METRIC, range=(0, 900)),
}


@pytest.mark.parametrize(
    ("kind", "expected", "got", "gaps"),
    [
        ("fn", "correct", {"correct": 0.0, "style": 1.0, "runs": 1.0, "length": 0.0}, ["correct 0, accepted from 0.5 (−0.5)"]),
        ("fn", "correct", {"correct": 1.0, "style": 0.3, "runs": 0.0},
         ["style 0.3, accepted from 0.8 (−0.5)", "runs 0, accepted from 0.5 (−0.5)"]),
        ("fp", "incorrect", {"correct": 0.9, "length": 800.0}, ["correct 0.9, accepted from 0.5 (+0.4)"]),
        ("fp", "incorrect", {"correct": 0.5}, ["correct 0.5, accepted from 0.5 (0)"]),
        ("fn", {"correct": 1.0, "style": 1.0}, {"correct": 0.4, "style": 0.9}, ["correct 0.4 instead of 1 (−0.6)"]),
        ("fp", {"style": 1.0}, {"correct": 1.0, "style": 1.0, "runs": 0.0}, ["correct 1, accepted from 0.5 (+0.5)",
         "style 1, accepted from 0.8 (+0.2)"]),
        ("unscored", "correct", {"correct": None, "style": 0.0}, []),
        ("fp", "incorrect", {}, []),
        ("fp", "incorrect", {"undeclared": 1.0}, []),
    ],
)  # fmt: skip
def test_a_failure_says_how_far_its_rewards_are_off(
    kind: str, expected: str | dict[str, float], got: dict[str, float | None], gaps: list[str]
) -> None:
    failure = samples.report().failures[0].model_copy(update={"kind": kind, "expected": expected, "got": got})
    assert audits.reward_gaps(failure, VECTOR) == gaps


@pytest.mark.parametrize(
    ("case", "origin", "url"),
    [
        ("suites/numbers:a b&c", "suite", "/packages/suites/numbers?report=a+b%26c#reported"),
        ("suites/numbers:c:1", "reported", "/packages/suites/numbers?report=c%3A1#reported"),
        ("suites/numbers:3f", "held", ""),
        ("community:01", "reported", ""),
        ("a1", "author", ""),
    ],
)
def test_a_label_is_reported_where_its_suite_shows_it(case: str, origin: str, url: str) -> None:
    failure = samples.report().failures[0].model_copy(update={"case": case, "origin": origin})
    assert audits.label_report_url(failure) == url


def test_a_report_says_when_what_was_not_judged_is_among_its_errors() -> None:
    broken = samples.report().model_copy(
        update={
            "overall": samples.measured(0, 0, 0, 0, unscored=20),
            "grading": Grading(reads=samples.measured(10, 10, 10, 10)),
            "case_count": 20,
        }
    )
    shown = audits.report_context(broken, {}, limit_ms=1.0, all_failures=False)
    assert shown["unjudged"].startswith("20 of 20 cases could not be judged")
    assert not audits.report_context(samples.report(), {}, limit_ms=1.0, all_failures=False)["unjudged"]
