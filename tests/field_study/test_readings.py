"""The sample that a person reads can be drawn again, and no list fills it."""

import json
from collections import Counter

from scripts.field_study.readings import read, sample


def lists(folder, **counts) -> None:
    for name, count in counts.items():
        rows = [{"case": f"{name}{n}", "origin": "suite", "kind": "fp", "tags": []} for n in range(count)]
        rows.append({"case": "late", "origin": "probe", "kind": "unscored", "tags": []})
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_each_list_is_drawn_from_in_turn_and_what_was_not_judged_is_left_out(tmp_path) -> None:
    lists(tmp_path, often=500, seldom=3, never=0)
    drawn = sample(tmp_path, 40)
    assert Counter(row["list"] for row in drawn) == {"often": 37, "seldom": 3}
    assert len({row["case"] for row in drawn}) == 40
    assert drawn == sample(tmp_path, 40)
    assert drawn != sample(tmp_path, 40, seed=1)


def test_what_was_read_has_a_finding_each() -> None:
    kept = read()
    assert len(kept) >= 240
    assert {row["found"] for row in kept} <= {"wrong", "right", "unsure"}
    assert all(row.get("why") for row in kept if row["found"] != "wrong")
    assert len({(row["list"], row["case"], row["kind"]) for row in kept}) == len(kept)


def test_without_readings_there_are_none(tmp_path) -> None:
    assert read(tmp_path / "nothing.jsonl") == []
