"""Tests run in forks: each once, what belongs together in one process, and nothing that goes wrong there is lost."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scripts.forked_tests import portions_of

ROOT = Path(__file__).parents[1]

NOTES = """
import json, os, pytest
from pathlib import Path

@pytest.fixture(autouse=True)
def note(request):
    with (Path(__file__).parent / "ran.jsonl").open("a") as file:
        file.write(json.dumps([request.node.name, os.getpid()]) + "\\n")

@pytest.fixture(scope="session")
def hub():
    yield os.getpid()
    with (Path(__file__).parent / "ended").open("a") as file:
        file.write(f"{os.getpid()}\\n")
"""
FIRST = """
import os, pytest
hub = pytest.mark.together("hub")

@hub
def test_first_of_the_hub(hub): assert hub == os.getpid()
def test_right(tmp_path): assert tmp_path.is_dir()
def test_wrong(): print("what it said"); assert 1 == 2
def test_skipped(): pytest.skip("not here")
"""
SECOND = """
import os, signal, subprocess, sys, pytest

STREAM = sys.stderr  # as the default of an argument holds it

@pytest.mark.together("hub")
def test_second_of_the_hub(hub): assert hub == os.getpid()
def test_before(capfd):
    subprocess.run(["echo", "heard"], stdout=STREAM, stderr=STREAM, check=True)
    print("said", file=STREAM)
def test_that_kills_its_process(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(capfd):
    os.system("echo heard")
    assert capfd.readouterr().out == "heard\\n"
"""


def _command(folder: Path, *options: str, **files: str) -> dict[str, Any]:
    for name, text in {"conftest": NOTES, **files}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    plugins = ["-p", "scripts.forked_tests", "--forks", "2"]
    return {
        "args": [sys.executable, "-m", "pytest", "-q", *plugins, *options, str(folder)],
        "env": {**{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VERIHUB_"))},
                "PYTHONPATH": str(ROOT)},
        "cwd": folder,
        "text": True,
    }  # fmt: skip


def _ran(folder: Path) -> list[tuple[str, int]]:
    return [(name, process) for name, process in map(json.loads, (folder / "ran.jsonl").read_text().splitlines())]


def test_each_test_runs_once_and_a_process_that_dies_leaves_the_rest_to_another(tmp_path: Path) -> None:
    done = subprocess.run(**_command(tmp_path, test_first=FIRST, test_second=SECOND), capture_output=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 5 passed, 1 skipped" in done.stdout
    assert "the process that ran this test ended with -9" in done.stdout
    assert "what it said" in done.stdout
    assert re.search(r"all 2 files\n(process \d: .* of CPU until \d+ s\n){3}", done.stdout), (
        "two, and one that followed"
    )
    ran = _ran(tmp_path)
    names = [name for name, _ in ran]
    assert sorted(names) == sorted(set(names))
    assert len(names) == 8
    where = dict(ran)
    assert where["test_first_of_the_hub"] == where["test_second_of_the_hub"]
    assert where["test_right"] == where["test_wrong"] == where["test_skipped"]
    assert where["test_before"] == where["test_that_kills_its_process"] != where["test_after"]
    if where["test_first_of_the_hub"] != where["test_that_kills_its_process"]:
        assert (tmp_path / "ended").read_text().split() == [str(where["test_first_of_the_hub"])]


def test_each_test_leaves_its_seconds_in_a_file_where_that_was_asked_for(tmp_path: Path) -> None:
    waits = (
        "import time\ndef test_waits(): time.sleep(0.2)\ndef test_works():\n    while time.process_time() < 0.4: pass\n"
    )
    options = ["--times", str(tmp_path / "times.jsonl")]
    subprocess.run(**_command(tmp_path, *options, test_one=waits), capture_output=True, check=True)
    rows = {row["test"]: row for row in map(json.loads, (tmp_path / "times.jsonl").read_text().splitlines())}
    assert set(rows) == {"test_one.py::test_waits", "test_one.py::test_works"}
    assert rows["test_one.py::test_waits"]["seconds"] >= 0.2 > rows["test_one.py::test_waits"]["cpu"]
    assert rows["test_one.py::test_works"]["cpu"] > 0


HEARS = """
def pytest_configure(config):
    global CONFIG
    CONFIG = config

def pytest_runtest_logreport(report):
    if report.failed and not hasattr(CONFIG, "workerinput"):
        (Path(__file__).parent / "heard").touch()
"""
WAITS = """
import time
from pathlib import Path

def test_one():
    while not (Path(__file__).parent / "heard").exists(): time.sleep(0.01)
"""


def test_after_the_first_failure_nothing_more_is_handed_out_where_that_was_asked_for(tmp_path: Path) -> None:
    """One process fails; the other runs on until the parent has heard of it."""
    later = {f"test_later_{number}": "def test_one(): pass\n" for number in range(9)}
    files = {"conftest": NOTES + HEARS, "test_a": "def test_one(): assert False\n", "test_b": WAITS, **later}
    done = subprocess.run(**_command(tmp_path, "-x", **files), capture_output=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stopping after 1 failures" in done.stdout
    assert len(_ran(tmp_path)) == 2


def test_an_interrupt_ends_what_fixtures_hold(tmp_path: Path) -> None:
    endless = "import time\nfrom pathlib import Path\ndef test_endless(hub):\n    (Path(__file__).parent / 'begun').touch()\n    time.sleep(600)\n"
    command = _command(tmp_path, test_one=endless)
    process = subprocess.Popen(**command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while not (tmp_path / "begun").exists():
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    assert process.returncode == pytest.ExitCode.INTERRUPTED, said
    assert (tmp_path / "ended").exists()


def _item(path: str, mark: str | None = None, *scopes: str) -> Any:
    found = pytest.mark.together(mark).mark if mark else None
    fixtures = {scope: [SimpleNamespace(scope=scope)] for scope in scopes}
    info = SimpleNamespace(name2fixturedefs=fixtures)
    return SimpleNamespace(path=path, get_closest_marker=lambda _name: found, _fixtureinfo=info)


def test_files_of_many_tests_come_last_and_a_mark_goes_before_a_file() -> None:
    many = [_item("many.py") for _ in range(40)]
    items = [*many, _item("a.py"), _item("b.py", "one"), _item("a.py"), _item("c.py", "one"), _item("c.py")]
    assert portions_of(items) == [[40, 42], [41, 43], [44], list(range(40))]


def test_a_file_of_many_tests_is_cut_unless_they_share_a_fixture() -> None:
    cut = [_item("cut.py", None, "function", "session") for _ in range(100)]
    whole = [_item("whole.py", None, *(["module"] if number == 70 else [])) for number in range(100)]
    numbers = list(range(200))
    assert portions_of([*cut, *whole]) == [numbers[100:], numbers[:40], numbers[40:80], numbers[80:100]]


def test_a_mark_of_many_tests_is_not_put_off() -> None:
    items = [_item("a.py", "one") for _ in range(50)]
    assert portions_of([*items, _item("b.py")]) == [list(range(50)), [50]]


SHARED = """
import pytest

@pytest.fixture(scope="module")
def shared(request):
    with (Path(__file__).parent / "made").open("a") as file:
        file.write("one\\n")

@pytest.mark.parametrize("number", range(90))
def test_it(shared, number): pass
"""


def test_a_fixture_of_a_file_of_many_tests_is_made_once(tmp_path: Path) -> None:
    alone = SHARED.replace("(shared, ", "(").replace("test_it", "test_alone")
    files = {"test_shared": "from pathlib import Path" + SHARED, "test_alone": "from pathlib import Path" + alone}
    done = subprocess.run(**_command(tmp_path, **files), capture_output=True, check=False)
    assert "180 passed" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "made").read_text() == "one\n"
    ran = _ran(tmp_path)
    assert len({process for name, process in ran if name.startswith("test_it")}) == 1
    assert len({name for name, _ in ran}) == 180
