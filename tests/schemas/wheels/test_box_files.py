"""Labelled cases stay outside of boxes."""

from schemas.manifest import Manifest
from schemas.wheels.box_files import box_files

HEAD = 'format = 1\nid = "al/check"\nkind = "environment"\nverifier = "al_check:verify"\n[rewards.correct]\n'
FILES = dict.fromkeys(
    ("al_check/__init__.py", "al_check/audit.jsonl", "al_check/train.jsonl", "other/audit.jsonl"), b"x"
)


def left_out(top: str) -> set[str]:
    manifest = Manifest.from_toml(HEAD.replace("[rewards", f"{top}\n[rewards"))
    return FILES.keys() - box_files(FILES, manifest).keys()


def test_a_file_of_labelled_cases_is_left_out_and_nothing_else() -> None:
    assert left_out('audit = ["audit.jsonl", "al_check:cases"]\ntasks = { train = "train.jsonl" }') == {
        "al_check/audit.jsonl"
    }


def test_a_file_that_holds_tasks_or_examples_as_well_is_there() -> None:
    assert left_out('audit = ["train.jsonl"]\ntasks = { train = "train.jsonl" }') == set()
    assert left_out('audit = ["audit.jsonl"]\nexamples = "audit.jsonl"\ntasks = { train = "train.jsonl" }') == set()
