"""The program that builds in a box, run as a process with a toy backend."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.images import build_in_box
from tests.sandbox.images.test_source_builds import sdist

TOY = """
import os, pathlib
print("talking on standard output")
def build_wheel(target, settings, metadata):
    os.system("echo so do its children")
    if pathlib.Path("fail").exists():
        raise SystemExit("no")
    pathlib.Path(target, "x.whl").write_bytes(b"wheel made at " + os.environ["SOURCE_DATE_EPOCH"].encode())
    return "x.whl"
"""


@pytest.mark.parametrize(("more", "fails"), [({}, False), ({"fail": ""}, True)])
def test_only_the_answer_is_on_standard_output(tmp_path: Path, more: dict[str, str], fails: bool) -> None:
    (tmp_path / "backends").mkdir()
    (tmp_path / "backends" / "toy.py").write_text(TOY)
    (tmp_path / "work").mkdir()
    archive = sdist(tmp_path, {"pyproject.toml": '[build-system]\nbuild-backend = "toy"\n', **more})
    command = [sys.executable, "-I", "-S", str(build_in_box.__file__), archive.name, "backends", str(tmp_path / "work")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    header, _, data = done.stdout.partition(b"\n")
    assert b"talking" in done.stderr
    assert b"so do its children" in done.stderr
    if fails:
        assert "SystemExit" in json.loads(header)["error"]
    else:
        assert Path(json.loads(header)["file"]).name == "x.whl"
        assert data == b"wheel made at 1580601600"
