"""docs/reference/field.md says what the records say, and every number in it has its interval."""

import re

import pytest

from scripts.field_study import records
from scripts.field_study.__main__ import PAGE, written_page
from scripts.field_study.findings import Finding, NotMeasured, load_defects, load_missing, read_returned
from scripts.field_study.page import code, page, percent
from scripts.field_study.subjects import Package, Verifier, load_subjects

RECORD = {
    "verifier": "toy/match", "family": "text", "package": "toy", "version": "1.0", "right": 10, "wrong": 20, "fp": 3, "fn": 0,
    "fpr": [0.15, 0.05, 0.36, 4], "fnr": [0.0, 0.0, 0.28, 2], "raised": 2, "late": 1, "null": 0, "left_out_right": 5, "left_out_wrong": 7,
    "worst_fp": [["denied", 3, 5]], "worst_fn": [], "probes": {"leak_sign": [9, 0, 12], "leak_digit": [1, 0, 12]},
    "suite": "0" * 12, "measured": "2026-11-23",
}  # fmt: skip
TOY = Verifier("toy/match", Package("toy", "1.0", "MIT"), "match()", "toy:match", ("text",), note="Toys only.")


def test_the_page_agrees_with_the_records() -> None:
    assert PAGE.read_text(encoding="utf-8") == written_page(), "run scripts/field --page"


def test_the_records_are_sorted_small_and_of_subjects_that_are_described() -> None:
    kept = records.read()
    names = [(one["verifier"], one["family"]) for one in kept]
    assert names == sorted(set(names))
    assert set(names) <= {(one.name, family) for one in load_subjects() for family in one.families}
    assert records.PLACE.stat().st_size <= 300_000


def test_every_record_is_of_the_version_that_is_pinned() -> None:
    pinned = {one.package.name: one.package.version for one in load_subjects()}
    assert [one["verifier"] for one in records.read() if one["version"] != pinned[one["package"]]] == []


def test_a_row_says_of_one_response_that_escapes_every_verdict_and_an_old_record_says_nothing() -> None:
    assert "one response 7/8" in page([RECORD | {"no_verdict": [7, 8]}], [TOY], [], [])
    assert "one response" not in page([RECORD | {"no_verdict": []}], [TOY], [], [])
    assert "one response" not in page([RECORD], [TOY], [], [])


def test_a_row_has_both_rates_with_intervals_counts_and_what_got_no_verdict() -> None:
    text = page([RECORD], [TOY], [], [])
    assert (
        "| `toy/match` | 15.0 % [5.0, 36.0] | 20 (4); 7 not asked | 0.0 % [0.0, 28.0] | 10 (2); 5 not asked | 2 raised, 1 late | denied 3/5 |  |"
        in text
    )
    assert "`toy/match`: Toys only." in text
    assert "1 verifiers of 1 packages, 30 labelled verdicts, 0 defects" in text


def test_a_record_of_other_cases_is_named() -> None:
    assert "before they were last changed: `toy/match`." in page(
        [RECORD], [TOY], [], [], earlier={(RECORD["verifier"], RECORD["family"])}
    )
    assert "before they were last changed" not in page([RECORD], [TOY], [], [])


def test_a_probe_family_is_shown_from_a_third_of_its_cases_on() -> None:
    text = page([RECORD], [TOY], [], [])
    assert "| `leak_sign` | `toy/match` 9/12 |" in text
    assert "leak_digit" not in text


def test_a_probe_family_of_which_hardly_one_was_in_the_form_is_not_shown() -> None:
    assert "leak_sign" not in page([{**RECORD, "probes": {"leak_sign": [3, 0, 3]}}], [TOY], [], [])


def test_a_verifier_with_probes_in_two_families_is_named_with_the_family() -> None:
    text = page([RECORD, {**RECORD, "family": "choice"}], [TOY], [], [])
    assert "`toy/match` (choice) 9/12, `toy/match` (text) 9/12" in text


def test_every_rate_in_the_sentences_stands_in_a_table() -> None:
    head, tables = PAGE.read_text(encoding="utf-8").split("## How to read the tables")
    rates = re.findall(r"\d+\.\d % \[\d+\.\d, \d+\.\d\]", head.split("10. ")[0])
    assert len(rates) >= 6
    assert [rate for rate in rates if f"| {rate} |" not in tables] == []


def test_the_sentence_on_reasoning_gym_counts_what_was_measured() -> None:
    gym = [one for one in records.read() if one["package"] == "reasoning-gym"]
    assert (sum(one["fp"] > 0 for one in gym), len(gym)) == (9, 12)


def test_all_graders_of_boxed_mathematics_were_asked_the_same_cases() -> None:
    for family in ("mathematics", "mathematics-hard"):
        asked = {
            (one["right"], one["wrong"]) for one in records.read() if one["family"] == family and not one["raised"]
        }
        assert len(asked) == 1, family


def test_a_rate_without_a_case_is_no_zero() -> None:
    assert percent([None, 0.0, 1.0, 0]) == "–"


def test_a_finding_shows_what_a_maintainer_needs() -> None:
    one = Finding(
        "toy/match",
        "toy",
        "1.0",
        "takes a denial",
        "2 + 2?",
        "4",
        "not\n4",
        "rejected",
        "1 (accepted)",
        "It looks anywhere.",
    )
    text = page([RECORD], [TOY], [one], [NotMeasured("`other`", "exists as source only")])
    for words in (
        "### toy/match: takes a denial",
        "`4`",
        "`not⏎4`",
        "expected: rejected · returned: 1 (accepted) · `toy` 1.0",
    ):
        assert words in text
    assert "| `other` | exists as source only |" in text


@pytest.mark.parametrize(
    ("text", "shown"), [("", "*(empty)*"), ("a`b", "`` a`b ``"), ("x" * 400, "`" + "x" * 159 + "…`")]
)
def test_code_cannot_leave_its_fences(text: str, shown: str) -> None:
    assert code(text) == shown


def test_every_defect_was_run_again_and_contradicts_its_label() -> None:
    kept, shown = read_returned(), PAGE.read_text(encoding="utf-8")
    for one in load_defects():
        assert one.name in kept, f"run scripts/field --defects ({one.name})"
        assert f"### {one.verifier}: {one.title}" in shown, f"{one.name} does not reproduce: take it out"


def test_whatever_is_not_measured_has_its_reason() -> None:
    assert all(one.why and one.what for one in load_missing())
    assert not re.search(r"\{\w+\}", PAGE.read_text(encoding="utf-8").split("## ")[0])
