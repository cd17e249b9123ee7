"""Function, file or other package: each text is exactly one of the three, or refused."""

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import Manifest
from schemas.names import Reference
from schemas.sources import DataFile, EntryPoint, PackageReference, parse_code_source, parse_data_source

MANIFEST = {
    "format": 1,
    "id": "alice/maths",
    "kind": "environment",
    "tasks": {"train": "tasks.jsonl", "endless": "alice_maths.make:tasks"},
    "verifier": "bob/judge@>=1,<2",
    "tools": ["alice_maths:search", "bob/calculator"],
    "session": "alice_maths:Session",
    "audit": ["cases/audit.jsonl", "alice_maths:cases"],
    "probes": {"register": "alice_maths:probes"},
}


def test_a_manifest_tells_functions_files_and_packages_apart():
    manifest = Manifest.model_validate(MANIFEST)
    assert manifest.stored_splits == {"train": DataFile("tasks.jsonl")}
    assert manifest.generated_splits == {"endless": EntryPoint("alice_maths.make:tasks")}
    assert manifest.foreign_verifier == Reference(package="bob/judge", specifier="<2,>=1")
    assert manifest.own_verifier is None
    assert manifest.own_tools == ["alice_maths:search"]
    assert manifest.foreign_tools == [Reference(package="bob/calculator")]
    assert manifest.case_files == ["cases/audit.jsonl"]
    assert manifest.case_generators == ["alice_maths:cases"]
    assert list(manifest.entry_points) == ["session", "probes.register", "tasks.endless", "tools[0]", "audit[1]"]


def test_the_kinds_survive_json_pickle_and_copies():
    manifest = Manifest.model_validate(MANIFEST)
    written = manifest.model_dump(mode="json", by_alias=True)
    assert written["tasks"] == MANIFEST["tasks"]
    for again in (
        Manifest.model_validate(json.loads(json.dumps(written))),
        pickle.loads(pickle.dumps(manifest)),
        copy.deepcopy(manifest),
    ):
        assert again.generated_splits == manifest.generated_splits
        assert again.foreign_verifier == manifest.foreign_verifier


def test_an_entry_point_has_a_module_and_a_name():
    point = EntryPoint.parse("alice_maths.make:tasks")
    assert (point.module, point.name) == ("alice_maths.make", "tasks")


@pytest.mark.parametrize("text", ["verify", "a:", ":b", "a.b", "a:b:c", "a b:c", "1a:b", "a:b()", "", "a\n:b", "ä-b:c"])
def test_what_is_no_entry_point_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="lecture_change_making:verify"):
        EntryPoint.parse(text)


@pytest.mark.parametrize(
    "text", ["/etc/tasks.jsonl", "../tasks.jsonl", "a//b.jsonl", "a\\b.jsonl", "./a.jsonl", "a/../b.jsonl", ""]
)
def test_a_file_outside_the_package_is_refused(text):
    with pytest.raises(ValueError, match=r"inside the package|must end"):
        DataFile.parse(text)


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"\.jsonl or \.parquet"):
        parse_data_source("tasks.csv")


@pytest.mark.parametrize("text", ["calculator", "Bob/judge", "bob/judge@x", "bob/", "/judge"])
def test_a_tool_that_is_neither_function_nor_package_is_refused(text):
    with pytest.raises(ValueError, match=r"not|none of"):
        parse_code_source(text)


@given(st.text(max_size=40))
def test_any_text_is_one_kind_or_a_value_error(text):
    for parse in (parse_data_source, parse_code_source):
        try:
            found = parse(text)
        except ValueError:
            continue
        assert isinstance(found, EntryPoint | DataFile | PackageReference)
        assert parse(found) == found


def test_a_function_of_somebody_elses_package_is_refused_wherever_it_stands():
    for change in ({"audit": ["os:system"]}, {"probes": {"register": "os:system"}}, {"tasks": {"train": "os:system"}}):
        with pytest.raises(ValueError, match="own import package"):
            Manifest.model_validate(MANIFEST | change)
