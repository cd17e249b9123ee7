"""Tests skip themselves where an engine, a browser or a database is missing; where all must be there, they fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import is_all_required

SKIPPING = """
import pytest

def test_passes():
    pass

@pytest.mark.skipif(True, reason="chromium is not installed")
def test_by_mark():
    pass

@pytest.fixture
def engine():
    pytest.skip("no engine of one's own")

def test_by_fixture(engine):
    pass

@pytest.mark.gpu
@pytest.mark.skipif(True, reason="no accelerator")
def test_gpu():
    pass

def test_optional():
    pytest.importorskip("nowhere_at_all", reason="an optional dependency")

@pytest.mark.xfail(reason="known")
def test_known():
    assert False
"""
SKIPPED_WHOLE = "import pytest\nnowhere = pytest.importorskip('nowhere_at_all')\ndef test_one(): pass\n"


@pytest.mark.parametrize(
    ("environment", "required"),
    [
        ({}, False),
        ({"CI": "true"}, True),
        ({"CI": "1"}, True),
        ({"CI": "false"}, False),
        ({"CI": "true", "VERIHUB_TEST_REQUIRE": "none"}, False),
        ({"VERIHUB_TEST_REQUIRE": "all"}, True),
    ],
)
def test_ci_requires_all_unless_told_otherwise(environment: dict[str, str], required: bool) -> None:
    assert is_all_required(environment) is required
    with pytest.raises(pytest.UsageError, match="all or none"):
        is_all_required({"VERIHUB_TEST_REQUIRE": "everything"})


def _run(folder: Path, source: str, **environment: str) -> str:
    (folder / "test_some.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = gpu: an accelerator\n")
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "VERIHUB_TEST_REQUIRE")}
    kept["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, env={**kept, **environment}, cwd=folder, capture_output=True, text=True, check=False)
    return f"{done.returncode}\n{done.stdout}"


def test_on_a_persons_machine_they_skip(tmp_path: Path) -> None:
    said = _run(tmp_path, SKIPPING)
    assert said.startswith("0")
    assert "1 passed, 4 skipped, 1 xfailed" in said


def test_where_all_must_be_there_each_says_what_is_missing(tmp_path: Path) -> None:
    said = _run(tmp_path, SKIPPING, VERIHUB_TEST_REQUIRE="all")
    assert said.startswith("1")
    for part in ("1 passed", "2 skipped", "1 xfailed", "chromium is not installed", "no engine of one's own"):
        assert part in said
    assert "or let what cannot run here skip: VERIHUB_TEST_REQUIRE=none" in said


def test_a_whole_module_that_skips_itself_fails_too(tmp_path: Path) -> None:
    said = _run(tmp_path, SKIPPED_WHOLE, CI="true")
    assert said.startswith("2")
    assert "could not import 'nowhere_at_all'" in said
