"""The data of a project is what its own scripts write: nobody has edited a generated row by hand."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# project -> its scripts in order, and what they write. sql-questions takes 20 s, so its own tests draw a part again; gsm8k and python-functions also need their sources' rows.
MAKERS = {
    "plain-style": ["make_tasks.py", "make_cases.py"],
    "hacked/headline-clicks": ["make_data.py"],
    "hacked/plain-style-v1": ["make_cases.py"],
    "change-making": ["make_data.py"],
    "judge": ["make_cases.py"],
    "rubric": ["make_cases.py"],
    "calculator": ["make_data.py"],
    "cited-search": ["make_data.py"],
    "connections": ["make_data.py"],
    "function-calls": ["make_data.py"],
    "grid-rules": ["make_data.py"],
    "honest-headline": ["make_data.py"],
    "instructions": ["make_data.py"],
    "json-shape": ["make_data.py"],
    "mail-assistant": ["make_data.py"],
    "service-desk": ["make_data.py"],
    "table-questions": ["make_data.py"],
    "tools-under-attack": ["make_data.py"],
    "wordle": ["make_data.py"],
    "gsm8k": ["make_data.py"],
    "python-functions": ["make_validation.py"],
    "suite-short-number": ["make_data.py"],
    "suite-mathematics": ["make_data.py"],
    "suite-choice": ["make_data.py"],
    "suite-python-code": ["make_data.py"],
    "suite-stdin-code": ["make_data.py"],
    "suite-instructions": ["make_data.py"],
    "suite-judges": ["make_data.py"],
    "generative-verifier": ["make_cases.py"],
    "final-state": ["make_cases.py"],
    "suite-json": ["make_data.py"],
    "suite-text": ["make_data.py"],
    "suite-transcripts": ["make_data.py"],
    "suite-sql": ["make_data.py"],
    "suite-states": ["make_data.py"],
}


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory, projects) -> Path:
    """The collection in a place where scripts may write."""
    folder = tmp_path_factory.mktemp("made") / "collection"
    origin = projects["plain-style"].folder.parent
    return Path(shutil.copytree(origin, folder, ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.parametrize("name", MAKERS)
def test_scripts_write_the_committed_data(name, projects, copied):
    for script in MAKERS[name]:
        subprocess.run([sys.executable, "-B", script], cwd=copied / name, check=True, capture_output=True, timeout=240)
    original = projects[name].data
    made = copied / name / original.relative_to(projects[name].folder)
    for path in sorted(original.glob("*.jsonl")):
        assert (made / path.name).read_bytes() == path.read_bytes(), path.name


def test_both_versions_of_plain_style_have_the_same_tasks(projects):
    old, new = projects["hacked/plain-style-v1"], projects["plain-style"]
    for name in ("tasks.jsonl", "test.jsonl"):
        assert (old.data / name).read_bytes() == (new.data / name).read_bytes()
