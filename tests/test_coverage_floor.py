"""The floor of coverage: it may rise and never fall, and a run below it says what was lost."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scripts import coverage_floor
from scripts.coverage_floor import FLOOR, PACKAGES, Floor, Share, committed, faults, lowered, merged, raised

ROOT = Path(__file__).parents[1]


def part(**files: dict[str, Any]) -> dict[str, Any]:
    empty = {"executed_lines": [], "missing_lines": [], "executed_branches": [], "missing_branches": []}
    return {"files": {f"{name}/a.py": empty | found for name, found in files.items()}}


def shares(**run_of_hundred: int) -> dict[str, Share]:
    made = {}
    for package, run in run_of_hundred.items():
        made[package] = Share(run)
        made[package].missed[f"{package}/a.py"] = 100 - run
    return made


def test_what_any_process_ran_counts_once() -> None:
    first = part(schemas={"executed_lines": [1, 2], "missing_lines": [3], "missing_branches": [[2, 3], [2, 4]]})
    second = part(schemas={"executed_lines": [1, 3], "missing_lines": [2], "executed_branches": [[2, 3]]})
    found = merged([first, second])["schemas"]
    assert (found.run, found.missed) == (4, {"schemas/a.py": 1})
    assert found.percent == 80.0


def test_the_files_of_the_stored_floor_are_there() -> None:
    """A file under a former name would be reported as one that lost all its tests."""
    assert [file for file in Floor.parse(FLOOR.read_text()).missed if not (ROOT / file).is_file()] == []


def test_what_is_left_out_is_there() -> None:
    """A pattern under a former name would measure what no test can run."""
    assert [pattern for pattern in coverage_floor.OMITTED if not list(ROOT.glob(pattern))] == []


def test_a_path_that_is_whole_is_the_same_file() -> None:
    whole = {"files": {str(ROOT / "schemas/a.py"): part(schemas={"executed_lines": [1]})["files"]["schemas/a.py"]}}
    found = merged([whole, part(schemas={"missing_lines": [1]})])["schemas"]
    assert (found.run, found.missed) == (1, {"schemas/a.py": 0})


def test_below_the_floor_the_files_that_lost_most_are_named() -> None:
    now = {"schemas": Share(90)}
    now["schemas"].missed.update({"schemas/a.py": 6, "schemas/b.py": 3, "schemas/c.py": 1})
    floor = Floor({"schemas": 92.0}, {"schemas/a.py": 5, "schemas/c.py": 1})
    [said] = faults(now, floor)
    assert "schemas: tests run 90.00 % of lines and branches; the floor is 92.0 %" in said
    assert said.index("schemas/b.py: 3 more") < said.index("schemas/a.py: 1 more")
    assert "schemas/c.py" not in said
    assert faults(now, Floor({"schemas": 90.0}, {})) == []


def test_the_floor_lies_a_margin_beneath_what_was_measured_and_never_falls() -> None:
    now = raised(shares(schemas=95, sandbox=80), Floor({"sandbox": 85.0}, {"sandbox/gone.py": 4}))
    assert now.least == {"schemas": 94.7, "sandbox": 85.0}
    assert now.missed == {"schemas/a.py": 5, "sandbox/a.py": 20}
    assert Floor.parse(now.to_toml()) == now


def test_a_run_of_quick_tests_has_a_floor_of_its_own() -> None:
    before = Floor({"schemas": 95.0}, {"schemas/a.py": 5}, {"schemas": 93.0})
    assert faults({"schemas": Share(94, Counter({"schemas/a.py": 6}))}, before, quick=True) == []
    assert len(faults({"schemas": Share(92, Counter({"schemas/a.py": 8}))}, before, quick=True)) == 1
    now = raised(shares(schemas=96), before, quick=True)
    assert now == Floor({"schemas": 95.0}, {"schemas/a.py": 5}, {"schemas": 95.0})
    assert Floor.parse(now.to_toml()) == now
    assert raised(shares(schemas=97), now).quick == {"schemas": 95.0}, "the other floor stays"
    assert lowered([now], before) == ["schemas (quick): 93.0 % now, 95.0 % before"]


def test_a_floor_that_was_lowered_or_dropped_is_named_with_both_figures() -> None:
    before = [Floor({"schemas": 95.0, "sandbox": 80.0}, {}), Floor({"schemas": 96.0}, {})]
    assert lowered(before, Floor({"schemas": 96.0, "sandbox": 80.1}, {})) == []
    assert lowered(before, Floor({"schemas": 95.5}, {})) == [
        "schemas: 95.5 % now, 96.0 % before",
        "sandbox: 0.0 % now, 80.0 % before",
    ]


def test_the_floor_of_this_repository_was_never_higher() -> None:
    now = Floor.parse(FLOOR.read_text())
    assert sorted(now.least) == sorted(now.quick) == sorted(PACKAGES)
    assert lowered(committed(), now) == []


def test_every_commit_of_the_floor_is_looked_at(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], cwd=tmp_path, check=True)
    for percent in (90.0, 95.0, 93.0):
        (tmp_path / "floor.toml").write_text(Floor({"schemas": percent}, {}).to_toml())
        subprocess.run([*git, "add", "."], cwd=tmp_path, check=True)
        subprocess.run([*git, "commit", "-qm", f"{percent}"], cwd=tmp_path, check=True)
    assert [floor.least for floor in committed(tmp_path, "floor.toml")] == [
        {"schemas": percent} for percent in (93.0, 95.0, 90.0)
    ]
    assert committed(Path("/"), "floor.toml") == [], "a copy without history"


def test_a_check_fails_below_asks_for_more_above_and_refuses_a_part_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = tmp_path / "floor.toml"
    monkeypatch.setattr(coverage_floor, "FLOOR", floor)
    folder = tmp_path / "parts"
    folder.mkdir()
    measured = {"executed_lines": [*range(97)], "missing_lines": [97, 98, 99]}
    (folder / "gw0.json").write_text(json.dumps(part(**dict.fromkeys(PACKAGES, measured))))

    def check(least: float) -> tuple[int, str]:
        floor.write_text(Floor(dict.fromkeys(PACKAGES, least), {}).to_toml())
        return coverage_floor.main(["check", str(folder)]), capsys.readouterr().out

    assert check(97.1)[0] == 1
    code, said = check(96.7)
    assert (code, "Raise" in said) == (0, False)
    code, said = check(96.0)
    assert (code, "Raise the floor of schemas, sandbox" in said) == (0, True)
    assert coverage_floor.main(["raise", str(folder)]) == 0
    assert Floor.parse(floor.read_text()).least == dict.fromkeys(PACKAGES, 96.7)
    (folder / "gw0.json").write_text(json.dumps(part(schemas=measured)))
    with pytest.raises(ValueError, match="no measurement of sandbox, hub_client, hub_server, trainer_bridge"):
        check(0.0)


def test_probes_are_taken_out_between_tests_and_for_a_small_share_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("slipcover", reason="slipcover is not installed: scripts/setup test")
    recorders = importlib.import_module("scripts.coverage_recorder")
    (tmp_path / "measured_here").mkdir()
    (tmp_path / "measured_here" / "__init__.py").write_text(
        "def double(n):\n    if n < 0:\n        return 0\n    return 2 * n\n"
    )
    seconds = [0.0]

    def clock() -> float:
        seconds[0] += 1
        return seconds[0]

    recorder = recorders.Recorder(tmp_path, ["measured_here"], [], names_all=False, clock=clock)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [recorder.finder, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "measured_here", raising=False)
    double = importlib.import_module("measured_here").double
    probed = double.__code__
    assert [double(n) for n in range(1000)][-1] == 1998
    assert double.__code__ is probed, "never in the middle of what runs"
    assert recorder.take_out()
    assert double.__code__ is not probed
    assert not recorder.take_out(), "it took one second; fifty must go by"
    seconds[0] += 50
    assert double(-1) == 0, "a line that is run for the first time afterwards counts as well"
    assert recorder.take_out()
    recorder.write(tmp_path / "main.json")
    [found] = json.loads((tmp_path / "main.json").read_text())["files"].values()
    assert (found["executed_lines"], found["missing_lines"]) == ([1, 2, 3, 4], [])
    assert (sorted(found["executed_branches"]), found["missing_branches"]) == ([[2, 3], [2, 4]], [])
    monkeypatch.delitem(sys.modules, "measured_here")


def test_the_recorder_notes_lines_and_branches_in_each_worker(tmp_path: Path) -> None:
    pytest.importorskip("slipcover", reason="slipcover is not installed: scripts/setup test")
    # The recorder measures the packages beside it: here a copy of it stands in a tree of three small modules.
    for name in ("coverage_recorder.py", "coverage_floor.py", "forked_tests.py"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    for file, text in {
        "schemas/__init__.py": "",
        "schemas/sign.py": "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n",
        "sandbox/guest/main.py": "TWO = 2\n",
        "hub_client/__init__.py": "",
        "hub_server/__init__.py": "",
        "trainer_bridge/loop.py": "ONE = 1\nTWO = 2\n",
        "test_sign.py": "import pytest\nfrom schemas.sign import sign\n\n"
        "@pytest.mark.parametrize('n', range(4))\ndef test_one(n):\n    assert sign(n) == 1\n",
        "test_more.py": "def test_nothing(): pass\n",
        "pytest.ini": "[pytest]\npythonpath = .\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},  # of the outer run
        "PYTHONPATH": str(tmp_path),
        "VERIHUB_COVERAGE": str(tmp_path / "parts"),
    }
    plugins = ["-p", "scripts.coverage_recorder", "-p", "scripts.forked_tests"]
    command = [sys.executable, "-m", "pytest", "-q", "--forks", "2", *plugins, str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "parts").glob("*.json")}
    assert sorted(parts) == ["fork0", "fork1"]
    found = merged(parts.values())
    assert found["schemas"].missed == {"schemas/sign.py": 2, "schemas/__init__.py": 0}, "a line and the branch to it"
    assert found["schemas"].run >= 4
    assert (found["trainer_bridge"].run, found["trainer_bridge"].missed.total()) == (0, 2), "nobody imported it"
    assert not [file for share in found.values() for file in share.missed if file.startswith("sandbox/guest/")]
