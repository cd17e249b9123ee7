"""A user's own ``schemas`` or ``sandbox`` hides ours: the error names it (docs/decisions/0011)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_in(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """A program of a user's, in a folder of theirs, with Verihub installed."""
    (folder / "train.py").write_text(program)
    command = [sys.executable, "train.py"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.mark.parametrize("name", ["schemas", "sandbox"])
@pytest.mark.parametrize("kind", ["package", "folder", "module"])
def test_what_hides_a_package_of_ours_is_named(tmp_path: Path, name: str, kind: str) -> None:
    if kind == "module":
        hiding = tmp_path / f"{name}.py"
        hiding.write_text("")
    else:
        hiding = tmp_path / name
        hiding.mkdir()
        (hiding / ("__init__.py" if kind == "package" else "user.py")).write_text("")
    done = run_in(tmp_path, "from hub_client import Hub")
    if kind == "folder":  # without __init__.py it gives way to a package: nothing is hidden
        assert (done.returncode, done.stderr) == (0, "")
        return
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: Verihub needs its own package `{name}`")
    assert str(hiding) in last
    assert "Rename" in last


def test_where_nothing_hides_them_the_client_loads(tmp_path: Path) -> None:
    done = run_in(tmp_path, "from hub_client import Hub; print(Hub.__name__)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hub\n", "")
