"""A report in words and rows."""

from hub_server.site.pages.audit import report_context as audits
from schemas.audit import Grade
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
