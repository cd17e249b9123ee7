"""The section on reported defects says its numbers with intervals, and nothing of nothing."""

from scripts.field_study.findings import Defect
from scripts.field_study.recall import Known
from scripts.field_study.reported_page import reported_part


def known(name: str, *by: str) -> Known:
    return Known(Defect(name, "a/b", f"the {name}", {}, "r", "incorrect", "s"), "a/b", by, "o/r#1")


def test_found_missed_and_what_was_made_for_the_list() -> None:
    reports = {"a/b": {"families": {"leak_sign": [2, 0, 12], "leak_mixed": [1, 0, 12]}, "ways": {}}}  # none is a form
    rows = [known("sign", "leak_sign"), known("mixed number", "leak_mixed"), known("dots")]
    text = reported_part([*rows, known("gone")], rows, reports, 24)
    assert "4 cases" in text
    assert "3 of the 4 cases" in text
    assert "**2 of 3 (66.7 % [20.8, 93.9])** were found; 1 of 3 (33.3 % [6.1, 79.2]) before" in text
    assert "2 of the 2 were found by families whose labels are certain" in text
    assert "| `a/b` | the dots | o/r#1 | nothing that exists | **no** |" in text


def test_nothing_measured_makes_no_section() -> None:
    assert reported_part([known("sign", "leak_sign")], [known("sign", "leak_sign")], {}, 24) == ""
