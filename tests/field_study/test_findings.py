"""Findings: only what reproduces is shown, and a late answer on a busy machine is no defect."""

from pathlib import Path

import pytest

from scripts.field_study.findings import Defect, findings, is_contradicted, load_defects
from scripts.field_study.subjects import Package, Verifier

TOY = Verifier("toy/match", Package("toy", "1.0", "MIT"), "match()", "toy:match", ("text",))
DEFECT = Defect(
    "denial", "toy/match", "takes a denial", {"answer": "4", "prompt": "2 + 2?"}, "not 4", "incorrect", "why"
)


def _found(score: float | None, error: str = "") -> list:
    return findings([DEFECT], [TOY], {"denial": {"score": score, "error": error, "version": "1.0"}})


def test_a_defect_is_shown_with_what_was_measured() -> None:
    (one,) = _found(1.0)
    assert (one.expected, one.returned, one.version) == ("rejected", "1 (accepted)", "1.0")


def test_what_does_not_reproduce_or_was_not_run_is_not_shown() -> None:
    assert _found(0.0) == []
    assert findings([DEFECT], [TOY], {}) == []


@pytest.mark.parametrize(
    ("score", "error", "contradicted"),
    [(None, "verifier_failed: ValueError", True), (None, "timeout: no answer within 10 s", False), (None, "", True)],
)
def test_a_raise_contradicts_and_a_late_answer_does_not(score: float | None, error: str, contradicted: bool) -> None:
    assert is_contradicted("incorrect", score, error, 1.0) is contradicted


def test_a_label_that_is_none_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "findings.toml"
    place.write_text('[[defects]]\nname="a"\nverifier="b"\ntitle="c"\ntask={}\nresponse=""\nlabel="maybe"\nwhy=""\n')
    with pytest.raises(ValueError, match="a"):
        load_defects(place)
