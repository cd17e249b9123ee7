import json

from scripts.import_stock import read_record, selection, settled, table


def _row(item: str, right: tuple[int, int] = (24, 24), wrong: tuple[int, int] = (48, 48), source: str = "gym") -> dict:
    return {"source": source, "item": item, "right": list(right), "wrong": list(wrong)}


def test_what_accepts_half_of_the_wrong_answers_failed_or_was_refused_is_not_shown() -> None:
    rows = [
        _row("legs"),
        _row("anything_goes", wrong=(8, 48)),
        _row("half", wrong=(24, 48)),
        _row("unmeasured", wrong=(0, 0)),
        {"source": "gym", "item": "broken", "failed": "no tasks"},
        {"source": "gym", "item": "native", "refused": "C source"},
    ]
    assert selection(rows) == ["gym-legs"]


def test_of_a_games_levels_one_is_shown_and_the_plain_one_where_there_is_one() -> None:
    rows = [_row("Nim-v0-large"), _row("Nim-v0"), _row("Nim-v0-medium"), _row("Maze-v0-easy"), _row("Maze-v0-hard")]
    assert selection(rows) == ["gym-nim-v0", "gym-maze-v0-easy"]
    assert len(selection([*rows, _row("game:Nim-v0", source="other")])) == 3, "another library's game is another game"


def test_a_later_line_of_the_record_stands_for_the_earlier(tmp_path) -> None:
    lines = [{"source": "gym", "item": "legs", "failed": "once"}, _row("legs")]
    (tmp_path / "stock.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_record(tmp_path) == [lines[1]]


def test_a_folder_without_a_record_has_nothing(tmp_path) -> None:
    assert read_record(tmp_path) == []


def test_what_failed_or_was_lost_is_done_again_and_nothing_else(tmp_path) -> None:
    lines = [
        _row("legs"),
        _row("lost"),
        {"source": "gym", "item": "native", "refused": "C source"},
        {"source": "gym", "item": "broken", "failed": "no tasks"},
    ]
    (tmp_path / "stock.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "gym-legs").mkdir()
    assert settled(tmp_path) == {("gym", "legs"), ("gym", "native")}
    assert settled(tmp_path / "nowhere") == set()


def test_what_was_not_imported_for_one_reason_is_one_line() -> None:
    slow = {"source": "gym", "item": "slow", "failed": "it took\nlong | very long"}
    native = [{"source": "gym", "item": name, "refused": "C source"} for name in ("a", "b")]
    lines = list(
        table([native[0], _row("legs", wrong=(8, 48)) | {"unjudged": 0, "repeated": [1, 98]}, slow, native[1]])
    )
    assert lines[2] == "| `gym:legs` | 24 of 24 | 8 of 48 |  | 1 of 98 |"
    assert lines[-2:] == ["| `gym`: `a`, `b` | C source |", "| `gym`: `slow` | failed: it took long / very long |"]
