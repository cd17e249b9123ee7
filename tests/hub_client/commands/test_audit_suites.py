"""Suites in an audit on this machine, over real projects as ``verihub init`` writes them."""

from pathlib import Path

import pytest


@pytest.fixture
def verifier(verihub, own_folders: Path) -> Path:
    assert verihub("init", "alice/last").code == 0
    assert verihub("init", "bob/numbers", "--kind", "suite").code == 0
    return own_folders / "last"


def manifest_of(project: Path) -> Path:
    return next(project.glob("src/*/verihub.toml"))


def judges(project: Path, table: str) -> None:
    path = manifest_of(project)
    kept = path.read_text().partition("[judges")[0]
    path.write_text(f"{kept}\n{table}\n")


def test_its_cases_are_judged_and_shown_apart_before_anything_is_published(verihub, verifier: Path) -> None:
    judges(verifier, "[judges.short-number]")
    alone = verihub("audit", "last", "--no-probes", "--format", "json").json
    said = verihub("audit", "last", "--no-probes", "--suite", "numbers", "--format", "json")
    assert said.code == 0, said.err
    cases = next((verifier.parent / "numbers").glob("src/*/cases.jsonl")).read_text().splitlines()
    assert said.json["case_count"] == alone["case_count"] + len(cases)
    found = said.json["slices"]["origin:suite"]
    assert sum(found[part] for part in ("tp", "fp", "tn", "fn")) == len(cases)
    assert "origin:suite" not in alone["slices"]


def test_what_it_gets_wrong_is_shown_before_the_authors_own(verihub, verifier: Path) -> None:
    judges(verifier, '[judges.short-number]\nanswer = "info.gold"')  # looked for where this verifier does not look
    said = verihub("audit", "last", "--no-probes", "--suite", "numbers")
    assert said.code == 0, said.err
    listed = said.out.partition("failures:")[2].splitlines()[1:]
    assert listed[0].strip().startswith("bob/numbers:")


def test_a_suite_that_does_not_fit_is_said_before_anything_is_judged(verihub, verifier: Path) -> None:
    judges(verifier, "[judges.text]")
    said = verihub("audit", "last", "--suite", "numbers")
    assert said.code == 2
    assert "(it judges text)" in said.err


@pytest.mark.parametrize("option", ["--stored", "--verify"])
def test_a_stored_report_has_no_further_suite(verihub, option: str) -> None:
    said = verihub("audit", "alice/last", option, "--suite", "bob/numbers")
    assert said.code == 2
    assert "leave out --stored and --verify" in said.err


def test_a_suite_of_the_hub_is_named_by_its_id(verihub, verifier: Path) -> None:
    judges(verifier, "[judges.short-number]")
    said = verihub("audit", "last", "--suite", "bob/nowhere", "--offline")
    assert said.code != 0
    assert "bob/nowhere" in said.err
