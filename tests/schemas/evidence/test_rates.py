"""Rates, measurements and grades: they travel, and what is missing stays null."""

from schemas.evidence.rates import Grade, Grading, Measurement, ProbeOutcome, Rate, RewardValues, WorsePart
from tests.making.wire import check_wire, refusal

RATE = {"value": 0.5, "low": 0.1, "high": 0.9}
COUNTS = {"tp": 1, "fp": 0, "tn": 1, "fn": 0, "unscored": 2, "fpr": RATE, "fnr": RATE}


def test_the_grades_stand_from_best_to_worst_and_unrated_last() -> None:
    assert [grade.value for grade in Grade] == ["A", "B", "C", "D", "F", "U"]


def test_a_rate_without_cases_has_an_interval_and_no_value() -> None:
    nothing = check_wire(Rate, {"value": None, "low": 0.0, "high": 1.0})
    assert isinstance(nothing, Rate)
    assert (nothing.clusters, nothing.tries, nothing.alike) == (None, None, "")
    assert "alike" in refusal(Rate, RATE | {"alike": "moods"})


def test_a_measurement_keeps_its_four_counts_apart_from_what_was_not_judged() -> None:
    found = check_wire(Measurement, COUNTS)
    assert isinstance(found, Measurement)
    assert (found.unscored, found.j) == (2, None)


def test_what_to_do_for_a_better_grade_stands_before_why_it_is_not() -> None:
    grading = Grading(capped=["The author's own cases earn at most C."], missing=["Label rollouts.", "A first look."])
    assert grading.needs == ["Label rollouts.", "A first look.", "The author's own cases earn at most C."]
    assert Grading().needs == []


def test_a_probe_family_says_what_it_expects() -> None:
    check_wire(ProbeOutcome, {"cases": 3, "failures": 1, "unscored": 0})
    assert "expects" in refusal(ProbeOutcome, {"cases": 3, "failures": 1, "unscored": 0, "expects": "anything"})


def test_what_lowers_a_grade_names_its_part_its_side_and_the_letter() -> None:
    worse = {"name": "origin:suite", "side": "fpr", "errors": 9, "cases": 20, "grade": "F"}
    found = check_wire(Grading, {"pulled": [worse], "reads": COUNTS, "capped": ["c"]})
    assert isinstance(found, Grading)
    assert (found.is_hollow, found.independent, found.first_look) == (False, None, None)
    assert "side" in refusal(WorsePart, worse | {"side": "both"})
    assert "grade" in refusal(WorsePart, worse | {"grade": "E"})


def test_reward_values_are_all_there_or_the_model_is_not() -> None:
    check_wire(RewardValues, {"right": 1.0, "wrong": 0.0, "overlap": 0.0})
