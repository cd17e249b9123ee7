"""Finding a source archive without running anything of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.images import find_source
from tests.sandbox.images.test_source_builds import sdist


def find(requirement: str, folder: Path) -> dict[str, str]:
    target = folder / "found"
    target.mkdir()
    command = [sys.executable, "-I", str(find_source.__file__), requirement, "3.11", str(target)]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return tmp_path


def test_the_newest_archive_that_fits_is_brought_and_nothing_of_it_runs(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    for version in ("1.0", "1.5", "2.0"):
        sdist(tmp_path, {"setup.py": trap, "pyproject.toml": ""}, version=version)
    found = find("pure-thing<2", tmp_path)
    assert found["version"] == "1.5"
    assert Path(found["path"]).read_bytes() == (tmp_path / "pure_thing-1.5.tar.gz").read_bytes()
    assert not (tmp_path / "ran").exists()


def test_what_nobody_has_is_said_to_be_nowhere(tmp_path: Path) -> None:
    assert find("pure-thing", tmp_path) == {}
