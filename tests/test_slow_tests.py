"""Slow tests are run in turns: each by some commit, and all where nobody asked for a share."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scripts import slow_tests

ROOT = Path(__file__).parents[1]
COMMITS = [f"{number:040x}" for number in range(5)]


def test_each_slow_test_is_run_by_one_of_five_commits() -> None:
    tests = [f"tests/test_{number}.py::test_one[{number}]" for number in range(200)]
    for test in tests:
        assert sum(slow_tests.is_chosen(test, 5, commit) for commit in COMMITS) == 1
    shares = [sum(slow_tests.is_chosen(test, 5, commit) for test in tests) for commit in COMMITS]
    assert min(shares) > 20, "about a fifth each"


def test_a_share_of_nothing_is_none_and_a_folder_without_commits_has_a_share() -> None:
    assert not any(slow_tests.is_chosen("tests/test_a.py::test_one", 0, commit) for commit in COMMITS)
    assert any(slow_tests.is_chosen(f"tests/test_a.py::test_{number}", 5, "") for number in range(50))


def test_no_listed_test_is_named_after_a_folder_of_one_machine() -> None:
    """Such a test is slow, and is another one's name in every other checkout."""
    folders = (f"{ROOT}", tempfile.gettempdir() + "/")
    assert [test for test in slow_tests.listed_tests() if any(folder in test for folder in folders)] == []


def test_what_was_measured_decides_and_what_was_not_stays() -> None:
    rows = [
        {"test": "quick again", "seconds": 20.0, "cpu": 3.0},
        {"test": "quick again", "seconds": 0.2, "cpu": 0.1},
        {"test": "works", "seconds": 2.0, "cpu": 0.25},
        {"test": "waits", "seconds": 3.0, "cpu": 0.1},
        {"test": "quick", "seconds": 2.9, "cpu": 0.2},
    ]
    assert slow_tests.measured_anew(["quick again", "not run"], rows) == ["not run", "waits", "works"]


def test_the_list_is_written_with_its_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed, times = tmp_path / "list.txt", tmp_path / "times.jsonl"
    listed.write_text("# Head.\n# More.\nold[1]\n")
    times.write_text('{"test": "a[# b]", "seconds": 11.0, "cpu": 0.1}\n')
    monkeypatch.setattr(slow_tests, "LIST", listed)
    slow_tests.main([str(times)])
    assert listed.read_text() == "# Head.\n# More.\na[# b]\nold[1]\n"
    assert capsys.readouterr().err == "2 slow tests\n"


@pytest.mark.parametrize(("share", "expected"), [("1", "3 passed"), ("0", "1 passed, 2 deselected")])
def test_pytest_leaves_out_the_others(tmp_path: Path, share: str, expected: str) -> None:
    test = "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_slow(n): pass\ndef test_quick(): pass\n"
    (tmp_path / "test_it.py").write_text(test)
    (tmp_path / "listed.txt").write_text("test_it.py::test_slow[1]\ntest_it.py::test_slow[2]\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    (tmp_path / "plug.py").write_text(
        "from pathlib import Path\nfrom scripts import slow_tests\n"
        f"slow_tests.LIST = Path({str(tmp_path / 'listed.txt')!r})\nfrom scripts.slow_tests import *\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "plug", "--slow-share", share, str(tmp_path)]
    path = f"{tmp_path}:{ROOT}"
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert expected in done.stdout


def test_every_listed_test_is_there() -> None:
    """A test that was renamed would be run by every commit again."""
    missing = []
    for test in slow_tests.listed_tests():
        file, name = test.partition("[")[0].split("::")[:2]
        path = ROOT / file
        if not path.is_file() or not re.search(rf"\b{name}\b", path.read_text()):
            missing.append(test)
    assert not missing, "measure again (scripts/slow_tests.py), or take these lines out of tests/slow_tests.txt"
