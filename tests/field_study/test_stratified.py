"""One sample of all wrong verdicts: drawn in strata, rare families too, and weighted where a share of all is told."""

import json
from collections import Counter

import pytest

from scripts.field_study.readings import read
from scripts.field_study.stratified import (
    COUNT,
    KEPT,
    allocation,
    blamed_share,
    drawn,
    frame,
    stratum_of,
    weighted_tries,
)


def lists(folder, **counts: int) -> None:
    for name, count in counts.items():
        rows = [failure(f"probe:{name}:{n}", "probe") for n in range(count)]
        rows += [failure(f"c{n}", "suite") for n in range(2)] + [failure("late", "suite") | {"kind": "unscored"}]
        (folder / f"pack--{name}--text.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def failure(case: str, origin: str) -> dict:
    return {"case": case, "origin": origin, "kind": "fp", "expected": "incorrect", "response": case, "tags": []}


def test_every_stratum_is_drawn_from_and_what_was_not_judged_is_in_none(tmp_path) -> None:
    lists(tmp_path, often=400, seldom=4)
    assert {name: len(rows) for name, rows in frame(tmp_path).items()} == {
        "cases text": 4,
        "probe often": 400,
        "probe seldom": 4,
    }
    sample = drawn(tmp_path, 30)
    assert Counter(row["stratum"] for row in sample) == {"probe often": 24, "probe seldom": 3, "cases text": 3}
    assert sample == drawn(tmp_path, 30)
    assert sample != drawn(tmp_path, 30, seed=1)


def test_the_root_of_the_size_is_what_a_stratum_gets_and_never_more_than_it_has() -> None:
    assert allocation({"large": 400, "small": 100, "one": 1}, 31) == {"large": 20, "small": 10, "one": 1}
    assert allocation({"a": 2, "b": 3}, 50) == {"a": 2, "b": 3}


def test_a_share_of_all_is_weighted_by_stratum() -> None:
    rows = [{"stratum": "large", "size": 90, "found": "wrong"}] * 5 + [
        {"stratum": "small", "size": 10, "found": "right"}
    ] * 5
    share, low, high = blamed_share(rows)
    assert share == pytest.approx(0.1)
    assert low < share < high
    assert weighted_tries(rows) == pytest.approx(100**2 / (5 * 18**2 + 5 * 2**2))


def test_the_sample_that_was_read_is_whole_and_each_verdict_has_its_reason() -> None:
    rows = read(KEPT)
    assert len(rows) == COUNT
    assert len({(row["list"], row["case"], row["kind"]) for row in rows}) == COUNT
    assert {row["found"] for row in rows} <= {"wrong", "right", "unsure"}
    assert all(row["why"] and row["response"] and row["stratum"] == stratum_of(row) for row in rows)
    counts = Counter(row["stratum"] for row in rows)
    assert dict(counts) == allocation({row["stratum"]: row["size"] for row in rows}, COUNT)
