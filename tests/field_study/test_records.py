"""Records: new ones replace old ones, and those of what is no subject any more go."""

from dataclasses import replace
from pathlib import Path

from schemas.evidence.cases import Label
from schemas.evidence.exploit import Exploit
from scripts.field_study import records
from scripts.field_study.subjects import Package, Verifier
from tests.making.reports import make_report

TOY = Verifier("toy/match", Package("toy", "1.0", "MIT"), "match()", "toy:match", ("text",), note="Toys only.")


def _record(verifier: str, fp: int) -> records.Record:
    return {"verifier": verifier, "family": "text", "fp": fp}


def test_a_new_record_takes_the_place_of_the_old_and_what_is_unknown_goes() -> None:
    kept = [_record("b", 1), _record("gone", 1)]
    merged = records.merge(kept, [_record("b", 2), _record("a", 3)], [("a", "text"), ("b", "text")])
    assert merged == [_record("a", 3), _record("b", 2)]


def test_a_record_says_how_often_one_response_escapes_a_verdict() -> None:
    found = Exploit(tries=8, accepted=0, unscored=7, raised=3)
    report = make_report(
        subject="field/toy@1.0", digest="sha256:" + "0" * 64, failures=[], exploits={"no_verdict": found}
    )
    assert records.record_of(TOY, "text", report, left_out=dict.fromkeys(Label, 0))["no_verdict"] == [7, 8]
    of_one_form = replace(TOY, wants="boxed")
    assert records.record_of(of_one_form, "text", report, left_out=dict.fromkeys(Label, 0))["no_verdict"] == [3, 8]
    bare = report.model_copy(update={"exploits": {}})
    assert records.record_of(TOY, "text", bare, left_out=dict.fromkeys(Label, 0))["no_verdict"] == []


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
