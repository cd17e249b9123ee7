"""The recall of known defects: what counts as found, and that the committed list and what was measured fit together."""

from dataclasses import replace

import pytest

from sandbox.audit.exploits.forms import PAIRS, REWRITES
from sandbox.audit.exploits.ways import CONSTANT, SHAPES, TEMPLATE, WRAPS
from sandbox.audit.probes.registry import FAMILIES
from schemas.evidence.audit import AuditReport
from scripts.field_study import recall
from scripts.field_study.findings import Defect
from scripts.field_study.recall import FEW, Known, is_found, load_known, read, scorer, shown, stands, with_few, write
from scripts.field_study.subjects import Package

DEFECT = Defect("sign", "reasoning-gym/sums", "a sign", {"id": "t"}, "-5", "incorrect", "why")
KNOWN = Known(DEFECT, "sums", ("leak_sign", "hedge"), "source")


def report(families=(), ways=()):
    return {"sums": {"right": 16, "rejected": 0, "families": dict(families), "ways": dict(ways)}}


@pytest.mark.parametrize(
    ("families", "ways", "found"),
    [
        ({"leak_sign": [1, 0, 12]}, {}, True),
        ({"leak_sign": [0, 2, 12]}, {}, True),
        ({"leak_sign": [0, 0, 12]}, {}, False),
        ({"leak_digit": [12, 0, 12]}, {}, False),  # another defect's family finds another defect
        ({}, {"hedge": [3, 12, 0]}, True),
        ({}, {"hedge": [2, 12, 0]}, False),
        ({}, {"hedge": [0, 0, 0]}, False),
        ({}, {"denial": [12, 12, 0]}, False),
        ({}, {"hedge": [0, 12, 1]}, True),
        ({}, {}, False),
    ],
)
def test_a_defect_is_found_by_what_the_list_names_and_by_nothing_else(families, ways, found: bool) -> None:
    assert is_found(KNOWN, report(families, ways)) is found


def test_a_scorer_that_was_not_drawn_finds_nothing() -> None:
    assert not is_found(KNOWN, {"sums": {"not_drawn": True}})
    assert not is_found(KNOWN, {})
    assert not is_found(replace(KNOWN, found_by=()), report({"leak_sign": [12, 0, 12]}))


def test_junk_for_everybody_is_no_reach() -> None:
    same = {name: [0, 0, 12] for name in ("nop", "empty", "huge", "binary", "fuzz_json", "judge_injection", "swap")}
    own = {f"leak_{number}": [0, 0, 12] for number in range(FEW)}
    assert with_few(report(same)) == ["sums"]
    assert with_few(report({**same, **own})) == []


@pytest.mark.parametrize(
    ("score", "error", "is_there"),
    [(1.0, "", True), (0.5, "", False), (None, "verifier_failed: KeyError", True), (None, "timeout: late", False)],
)
def test_only_a_defect_that_shows_on_its_own_case_counts(score, error: str, is_there: bool) -> None:
    assert stands(KNOWN, {"sign": {"score": score, "error": error, "version": "1"}}) is is_there
    assert not stands(KNOWN, {})


def test_the_list_names_families_and_ways_that_exist_and_each_defect_once() -> None:
    known = load_known()
    names = {family.name for family in FAMILIES} | {
        way.name for way in (*WRAPS, *PAIRS, *REWRITES, CONSTANT, TEMPLATE, SHAPES)
    }
    assert {name for one in known for name in one.found_by} <= names
    assert len({one.defect.name for one in known}) == len(known) >= 30
    assert all(one.source and one.defect.label == "incorrect" and one.defect.why for one in known)
    asked = [(one.dataset, one.defect.response, str(one.defect.task)) for one in known]
    assert len(set(asked)) == len(asked)


def test_what_is_kept_was_measured_of_the_list_as_it_is() -> None:
    kept = read()
    assert set(kept["returned"]) == {one.defect.name for one in load_known()}
    assert {one.dataset for one in load_known()} <= set(kept["reports"])


def test_what_is_kept_reads_back(tmp_path) -> None:
    kept = {"version": "1", "returned": {"a": {"score": 1.0}}, "reports": {"x": {"right": 1}, "b": {"right": 2}}}
    write(kept, tmp_path / "recall.json")
    assert read(tmp_path / "recall.json") == kept
    assert read(tmp_path / "none.json") == {"returned": {}, "reports": {}}


def test_a_drawn_entry_is_named_by_the_tasks_id(monkeypatch) -> None:
    package = Package("reasoning-gym", "1", "Apache-2.0")
    drawn, given = scorer(package, "sums", is_drawn=True), scorer(package, "sums", is_drawn=False)
    assert drawn.options == {"name": "sums", "size": str(recall.TASKS), "seed": str(recall.SEED)}
    assert (given.options, given.adapter) == ({"name": "sums"}, "reasoning_gym_package:score_answer")


def test_the_counts_of_a_report_are_kept() -> None:
    fields = {"cases": 12, "failures": 1, "unscored": 2, "expects": "incorrect", "rule": "", "raised": 2}
    rate = {"value": None, "low": 0.0, "high": 1.0}
    none = {"tp": 3, "fp": 0, "tn": 0, "fn": 1, "unscored": 0, "fpr": rate, "fnr": rate}
    found = AuditReport.model_validate(
        {
            "subject": "a/b@1.0.0", "digest": "sha256:" + "1" * 64, "suite_digest": "sha256:" + "1" * 64,
            "image_digest": "sha256:" + "1" * 64, "runner_version": "1", "isolation": "call", "grade": "U",
            "overall": none, "rewards": {}, "slices": {}, "probes": {"nop": fields},
            "exploits": {"hedge": {"tries": 12, "accepted": 4, "unscored": 1, "raised": 1, "rule": ""}},
            "determinism": {"repeats": 1, "flips": 0}, "latency_ms": {"p50": None, "p95": None, "p99": None}, "failures": [], "case_count": 4,
        }
    )  # fmt: skip
    assert shown(found, 4) == {
        "right": 4,
        "rejected": 1,
        "families": {"nop": [1, 2, 12]},
        "ways": {"hedge": [4, 12, 1]},
    }
