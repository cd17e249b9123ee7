import json
import tomllib

from hub_client.imports.draft import Item
from schemas.collections import CollectionWrite
from scripts import import_stock
from scripts.import_stock import collections_of, is_settled, read_record, selection, table


def _row(item: str, right: tuple[int, int] = (24, 24), wrong: tuple[int, int] = (48, 48), source: str = "gym") -> dict:
    return {"source": source, "item": item, "right": list(right), "wrong": list(wrong)}


def _items(rows: list[dict]) -> list[str]:
    return [row["item"] for row in selection(rows)]


def test_what_failed_was_refused_or_has_no_wrong_answers_is_not_shown_and_a_bad_verifier_is() -> None:
    rows = [
        _row("legs"),
        _row("anything_goes", wrong=(8, 48)),
        _row("unmeasured", wrong=(0, 0)),
        {"source": "gym", "item": "broken", "failed": "no tasks"},
        {"source": "gym", "item": "native", "refused": "C source"},
    ]
    assert _items(rows) == ["legs", "anything_goes"]


def test_of_a_games_levels_one_is_shown_and_the_plain_one_where_there_is_one() -> None:
    rows = [_row("Nim-v0-large"), _row("Nim-v0"), _row("Nim-v0-medium"), _row("Maze-v0-easy"), _row("Maze-v0-hard")]
    assert _items(rows) == ["Nim-v0", "Maze-v0-easy"]
    assert len(selection([*rows, _row("game:Nim-v0", source="other")])) == 3, "another library's game is another game"


def test_a_later_line_of_the_record_stands_for_the_earlier(tmp_path) -> None:
    lines = [{"source": "gym", "item": "legs", "failed": "once"}, _row("legs")]
    (tmp_path / "stock.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_record(tmp_path) == [lines[1]]


def test_a_folder_without_a_record_has_nothing(tmp_path) -> None:
    assert read_record(tmp_path) == []


def test_what_failed_was_lost_or_is_offered_now_is_done_again_and_nothing_else(tmp_path) -> None:
    rows = {
        "legs": _row("legs"),
        "lost": _row("lost"),
        "native": {"source": "gym", "item": "native", "refused": "C source"},
        "offered": {"source": "gym", "item": "offered", "refused": "several turns"},
        "slow": {"source": "gym", "item": "slow", "refused": "its generator fails", "tried": True},
        "broken": {"source": "gym", "item": "broken", "failed": "no tasks"},
    }
    (tmp_path / "gym-legs").mkdir()
    items = {name: Item(name, refused="C source" if name == "native" else "") for name in rows}
    stands = {name for name, row in rows.items() if is_settled(row, items[name], tmp_path)}
    assert stands == {"legs", "native", "slow"}


def test_what_was_not_imported_for_one_reason_is_one_line() -> None:
    slow = {"source": "gym", "item": "slow", "failed": "it took\nlong | very long"}
    native = [{"source": "gym", "item": name, "refused": "C source"} for name in ("a", "b")]
    lines = list(
        table([native[0], _row("legs", wrong=(8, 48)) | {"unjudged": 0, "repeated": [1, 98]}, slow, native[1]])
    )
    assert lines[2] == "| `gym:legs` | 24 of 24 | 8 of 48 |  | 1 of 98 |"
    assert lines[-2:] == ["| `gym`: `a`, `b` | C source |", "| `gym`: `slow` | failed: it took long / very long |"]


def test_each_source_is_a_collection_with_what_was_measured_beside_each_package() -> None:
    rows = [_row("legs", source="reasoning-gym"), _row("Nim-v0", right=(0, 0), wrong=(16, 16), source="textarena")]
    files = collections_of([*rows, _row("ab", source="reasoning-gym")], "stock")
    assert list(files) == ["reasoning-gym", "textarena"]
    read = {source: tomllib.loads(text) for source, text in files.items()}
    assert {source: one.pop("id") for source, one in read.items()} == {
        "reasoning-gym": "stock/reasoning-gym",
        "textarena": "stock/textarena",
    }
    gym, arena = (CollectionWrite.model_validate(one) for one in read.values())
    assert [entry.package for entry in gym.entries] == ["stock/reasoning-gym-ab", "stock/reasoning-gym-legs"]
    assert gym.entries[0].note == "", "what is right of a hundred packages is said once"
    assert arena.entries[0].note == "no right answer is known, 16 of 16 wrong ones rejected"


def test_who_stops_it_reads_how_it_goes_on_and_no_traceback(tmp_path, monkeypatch, capsys) -> None:
    def interrupt(*_given, **_more) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_stock, "bring_in", interrupt)
    assert import_stock.main([str(tmp_path)]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
