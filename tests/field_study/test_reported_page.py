"""The sections on reported defects and hand-read verdicts say their numbers with intervals, and nothing of nothing."""

from scripts.field_study.findings import Defect
from scripts.field_study.recall import Known
from scripts.field_study.reported_page import readings_part, reported_part


def known(name: str, *by: str) -> Known:
    return Known(Defect(name, "a/b", f"the {name}", {}, "r", "incorrect", "s"), "a/b", by, "o/r#1")


def test_found_missed_and_what_was_made_for_the_list() -> None:
    reports = {"a/b": {"families": {"leak_sign": [2, 0, 12], "leak_mixed": [1, 0, 12]}, "ways": {}}}
    rows = [known("sign", "leak_sign"), known("mixed number", "leak_mixed"), known("dots")]
    text = reported_part([*rows, known("gone")], rows, reports, 24)
    assert "4 cases" in text
    assert "3 of the 4 cases" in text
    assert "**2 of 3 (66.7 % [20.8, 93.9])** were found; 1 of 3 (33.3 % [6.1, 79.2]) before" in text
    assert "| `a/b` | the dots | o/r#1 | nothing that exists | **no** |" in text


def test_nothing_measured_makes_no_section() -> None:
    assert reported_part([known("sign", "leak_sign")], [known("sign", "leak_sign")], {}, 24) == ""
    assert readings_part([]) == ""


def test_wrong_blame_is_told_with_its_interval_and_probes_apart() -> None:
    read = [{"list": "l", "origin": "suite", "found": "wrong"}] * 96
    read += [{"list": "m", "origin": "probe", "found": "wrong"}] * 50
    read += [{"list": "l", "origin": "suite", "found": "right"}] * 3 + [
        {"list": "l", "origin": "suite", "found": "unsure"}
    ]
    text = readings_part(read)
    assert "150 verdicts" in text
    assert "**3 of 150 (2.0 % [0.7, 5.7]) blame the verifier wrongly**, 1 cannot be decided" in text
    assert "Of the 50 made by probes none does (0 of 50 (0.0 % [0.0, 7.1]))" in text
    assert "1 of 50" in readings_part([*read[:-1], {"list": "m", "origin": "probe", "found": "right"}]).replace(
        "51", "50"
    )
