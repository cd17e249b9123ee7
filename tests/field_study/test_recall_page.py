"""The section on known defects says what was found, by what, and how sure that is."""

from scripts.field_study.recall_page import recall_part
from tests.field_study.test_recall import KNOWN, report

RETURNED = {"sign": {"score": 1.0, "error": "", "version": "1"}}


def test_found_and_missed_with_the_interval() -> None:
    kept = {"returned": RETURNED, "reports": report({"leak_sign": [3, 0, 12]})}
    text = recall_part([KNOWN], kept, 16)
    assert "**1 of 1 (100 % [21, 100])** were found." in text
    assert "| `sums` | a sign | `leak_sign`, `hedge` | yes |" in text
    missed = recall_part([KNOWN], {"returned": RETURNED, "reports": report()}, 16)
    assert "**0 of 1 (0 % [0, 79])** were found." in missed
    assert missed.rstrip().endswith("| **no** |")


def test_what_does_not_reproduce_is_left_out_and_nothing_makes_no_section() -> None:
    assert recall_part([KNOWN], {"returned": {}, "reports": report()}, 16) == ""
    assert recall_part([KNOWN], {"returned": RETURNED, "reports": {}}, 16) == ""


def test_scorers_that_little_reaches_are_named_and_those_not_drawn_apart() -> None:
    reports = {**report(), "slow": {"not_drawn": True}}
    text = recall_part([KNOWN], {"returned": RETURNED, "reports": reports}, 16)
    assert "Of 1 scorers, 1 get at most 6" in text
    assert "(`sums`)" in text
    assert "Not drawn in time: `slow`." in text
