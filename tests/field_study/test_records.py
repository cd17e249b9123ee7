"""Records: new ones replace old ones, and those of what is no subject any more go."""

from pathlib import Path

from scripts.field_study import records


def _record(verifier: str, fp: int) -> records.Record:
    return {"verifier": verifier, "family": "text", "fp": fp}


def test_a_new_record_takes_the_place_of_the_old_and_what_is_unknown_goes() -> None:
    kept = [_record("b", 1), _record("gone", 1)]
    merged = records.merge(kept, [_record("b", 2), _record("a", 3)], [("a", "text"), ("b", "text")])
    assert merged == [_record("a", 3), _record("b", 2)]


def test_a_file_of_records_has_a_line_each_and_reads_as_it_was(tmp_path: Path) -> None:
    place = tmp_path / "results.jsonl"
    assert records.read(place) == []
    records.write([_record("a", 1), _record("é", 2)], place)
    assert len(place.read_text().splitlines()) == 2
    assert records.read(place) == [_record("a", 1), _record("é", 2)]


def test_a_run_goes_on_with_what_was_measured_before_a_day() -> None:
    kept = [
        {"verifier": "a/b", "family": "text", "measured": "2026-11-20"},
        {"verifier": "a/b", "family": "json", "measured": "2026-11-26"},
    ]
    assert records.measured_since(kept, "2026-11-26") == {("a/b", "json")}
    assert len(records.measured_since(kept, "")) == 2
