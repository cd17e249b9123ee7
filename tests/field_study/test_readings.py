"""The samples that careful readers read can be drawn again, and no list fills them."""

import json
from collections import Counter

import pytest

from scripts.field_study.readings import AFTER, DRAWN, FIRST, LAST, SECOND, SETTLED, THIRD, key, read, sample
from scripts.field_study.readings_page import RULES


def lists(folder, **counts) -> None:
    for name, count in counts.items():
        rows = [{"case": f"{name}{n}", "origin": "suite", "kind": "fp", "tags": []} for n in range(count)]
        rows.append({"case": "late", "origin": "probe", "kind": "unscored", "tags": []})
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_each_list_is_drawn_from_in_turn_and_what_was_not_judged_is_left_out(tmp_path) -> None:
    lists(tmp_path, often=500, seldom=3, never=0)
    drawn = sample(tmp_path, 40, seed=1)
    assert Counter(row["list"] for row in drawn) == {"often": 37, "seldom": 3}
    assert len({row["case"] for row in drawn}) == 40
    assert drawn == sample(tmp_path, 40, seed=1)
    assert drawn != sample(tmp_path, 40, seed=2)


@pytest.mark.parametrize(
    ("one", "fewest"),
    [(FIRST, 242), (SECOND, 300), (AFTER, 300), (THIRD, 300)],
    ids=["first", "second", "after", "third"],
)
def test_what_was_read_has_a_finding_each(one, fewest: int) -> None:
    kept = read(one.kept)
    assert len(kept) >= fewest
    assert {row["found"] for row in kept} <= {"wrong", "right", "unsure"}
    assert all(row.get("why") for row in kept if row["found"] != "wrong")
    assert len({key(row) for row in kept}) == len(kept)


def test_the_second_reader_gave_every_verdict_a_reason_and_read_all_that_the_first_had_read() -> None:
    second = {key(row): row for row in read(SECOND.kept)}
    assert all(row["why"] for row in second.values())
    assert sum(row["drawn"] for row in second.values()) == SECOND.count
    assert {key(row) for row in read(FIRST.kept)} <= set(second)


def test_every_wrong_blame_names_the_rule_that_made_its_label() -> None:
    blamed = [row for row in read(SECOND.kept) if row["found"] == "right"]
    assert {row["rule"] for row in blamed} == set(RULES)
    assert not {row.get("rule") for row in read(SECOND.kept) if row["found"] != "right"} - {None}


def test_every_verdict_that_was_read_can_be_read_again() -> None:
    texts = {key(row) for row in read(DRAWN)}
    assert texts == {key(row) for place in (SECOND.kept, AFTER.kept) for row in read(place)}


def test_what_is_settled_is_what_the_readers_differ_on() -> None:
    second = {key(row): row["found"] for row in read(SECOND.kept)}
    differ = {key(row) for row in read(FIRST.kept) if second[key(row)] != row["found"]}
    settled = read(SETTLED)
    assert {key(row) for row in settled} == differ
    assert all(row["why"] and row["found"] in ("wrong", "right", "unsure") for row in settled)


def test_without_readings_there_are_none(tmp_path) -> None:
    assert read(tmp_path / "nothing.jsonl") == []


def test_the_third_readers_rows_hold_their_texts_and_each_wrong_blame_its_rule() -> None:
    for row in [*read(THIRD.kept), *read(LAST)]:
        assert row["why"]
        assert {"expected", "prompt", "answer", "response", "pile"} <= row.keys()
        assert ("rule" in row) == (row["found"] == "right")
