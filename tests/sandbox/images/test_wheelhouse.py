import subprocess
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.images import wheelhouse
from sandbox.images.errors import LockRefusedError, WheelMissingError
from sandbox.images.source_wheel import BuiltWheel
from sandbox.images.wheelhouse import fetch_wheels, source_of
from schemas.names import digest_of
from schemas.wheels.requirements import LockedRequirement
from tests.making.altered_library import alter_library
from tests.making.small_disk import mounted_disk


def requirement_of(wheel):
    return LockedRequirement(name=wheel.name, version=wheel.version, digests=(f"sha256:{wheel.sha256}",))


@pytest.fixture
def pip(monkeypatch):
    """pip as a function: it copies what it was told to serve, or fails with the words given."""
    state = {"serves": [], "fails": "", "commands": [], "folders": []}

    def run(command, *, cwd=None, **_):
        state["commands"].append(command)
        state["folders"].append(cwd)
        if state["fails"]:
            return subprocess.CompletedProcess(command, 1, "", state["fails"])
        destination = Path(command[command.index("--dest") + 1])
        for path in state["serves"]:
            (destination / path.name).write_bytes(path.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    alter_library(monkeypatch, wheelhouse, "subprocess", run=run)
    return state


def test_wheels_are_fetched_by_hash_once_and_then_offline(settings, make_dependency, pip):
    wheel = make_dependency()
    pip["serves"] = [wheel.path]
    (found,) = fetch_wheels([requirement_of(wheel)], settings)
    assert (found.name, found.sha256) == ("dep", wheel.sha256)
    assert found.path != wheel.path
    pip["fails"] = "NewConnectionError"
    assert fetch_wheels([requirement_of(wheel)], settings) == (found,)
    assert len(pip["commands"]) == 1


def test_pip_is_asked_for_binary_wheels_of_the_box_and_nothing_else(settings, make_dependency, pip):
    wheel = make_dependency()
    pip["serves"] = [wheel.path]
    fetch_wheels([requirement_of(wheel)], settings)
    (command,) = pip["commands"]
    assert {"--no-deps", "--only-binary=:all:", "--require-hashes", "manylinux_2_17_x86_64"} <= set(command)
    assert command[command.index("--python-version") + 1] == "3.11"


def test_pip_runs_in_a_folder_of_its_own(settings, make_dependency, pip):
    wheel = make_dependency()
    pip["serves"] = [wheel.path]
    fetch_wheels([requirement_of(wheel)], settings)
    (command,), (folder,) = pip["commands"], pip["folders"]
    assert str(folder) == command[command.index("--dest") + 1]


@pytest.mark.parametrize("name", ["pip", "sitecustomize"])
def test_no_code_of_the_working_folder_is_run(settings, make_dependency, tmp_path, monkeypatch, name):
    """Whoever opens a package stands in a folder that strangers may have written, and ``python -m`` looks there."""
    mark = tmp_path / "mark"
    (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ".:" + str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(LockRefusedError, match="no binary wheel"):
        fetch_wheels([requirement_of(make_dependency())], settings)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        ("ERROR: No matching distribution found for dep==2.0", LockRefusedError, "has no binary wheel for the box"),
        ("NewConnectionError ... No matching distribution found for dep", WheelMissingError, "cannot be reached"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", LockRefusedError, "lock again"),
        ("/usr/bin/python: No module named pip", WheelMissingError, "has no pip"),
        ("something else", WheelMissingError, "something else"),
    ],
)
def test_each_failure_of_pip_says_what_to_do(settings, make_dependency, pip, words, error, says):
    pip["fails"] = words
    with pytest.raises(error, match=says):
        fetch_wheels([requirement_of(make_dependency())], settings)


def test_a_slow_index_is_given_up(settings, make_dependency, monkeypatch):
    def slow(command, **_):
        raise subprocess.TimeoutExpired(command, 1)

    alter_library(monkeypatch, wheelhouse, "subprocess", run=slow)
    with pytest.raises(WheelMissingError, match="fetched no wheels within"):
        fetch_wheels([requirement_of(make_dependency())], settings)


def test_wheels_are_chosen_for_the_python_of_the_release(settings, make_dependency, pip, tmp_path):
    wheel = make_dependency()
    pip["serves"] = [wheel.path]
    lock = {"requirements.lock": requirement_of(wheel).line() + "\n"}
    code = "def verify(task):\n    return {'correct': 1.0}\n"
    release = Sample(code, files=lock, requires_python=">=3.13").source(tmp_path)
    assert source_of(release.wheel, settings).python == "3.13"
    (command,) = pip["commands"]
    assert command[command.index("--python-version") + 1] == "3.13"
    assert "cp313" in command


def test_half_of_a_built_wheel_is_not_kept(settings, pip, tmp_path):
    """It would be found under its hash, and refused from then on."""
    pip["fails"] = "ERROR: No matching distribution found for dep==1.0"
    built = BuiltWheel("dep-1.0-py3-none-any.whl", b"x" * 3 * 2**20, digest_of(b"source"))
    locked = LockedRequirement(name="dep", version="1.0", digests=(built.digest,))
    with mounted_disk(tmp_path / "small", "2m") as small:
        scarce = settings.model_copy(update={"cache_folder": small})
        with pytest.raises(OSError, match="No space"):
            fetch_wheels([locked], scarce, build=lambda *_: built)
        assert list((small / "wheels").rglob("*.whl")) == []


def test_an_empty_lock_asks_nobody(settings, pip):
    assert fetch_wheels([], settings) == ()
    assert pip["commands"] == []


def test_a_release_becomes_a_source_with_its_locked_wheels(settings, make_dependency, pip, tmp_path):
    wheel = make_dependency()
    pip["serves"] = [wheel.path]
    lock = {"requirements.lock": requirement_of(wheel).line() + "\n"}
    release = Sample("def verify(task):\n    return {'correct': 1.0}\n", files=lock).source(tmp_path)
    source = source_of(release.wheel, settings)
    assert source.digest == release.digest
    assert [(item.name, item.sha256) for item in source.lock] == [("dep", wheel.sha256)]
