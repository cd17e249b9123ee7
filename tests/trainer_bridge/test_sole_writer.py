"""Two runs at once do not write to one folder, and a killed one does not keep the next from it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from filelock import FileLock

import trainer_bridge.sole_writer
from trainer_bridge.errors import SettingsError
from trainer_bridge.loop import train
from trainer_bridge.ranks import Ranks
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.sole_writer import LOCK, sole_writer

HOLD = "import filelock, sys; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); sys.stdin.read()"


@contextmanager
def held_by_another(folder) -> Iterator[subprocess.Popen]:
    command = [sys.executable, "-c", HOLD, str(folder / LOCK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_run_is_refused_before_it_touches_a_file(fake_hub, make_settings):
    settings = make_settings(steps=1, resume=True)
    settings.output.mkdir(parents=True, exist_ok=True)
    rows = settings.output / "metrics.jsonl"
    rows.write_text('{"step": 9}\n')  # a resumed run would remove it: there is no checkpoint of step 9
    hub = fake_hub()
    with held_by_another(settings.output), pytest.raises(SettingsError, match="another run writes there"):
        train(settings, hub=hub)
    assert rows.read_text() == '{"step": 9}\n'
    assert hub.runs.created == []


def test_a_killed_run_holds_nothing(tmp_path):
    with held_by_another(tmp_path) as process:
        process.kill()
        process.wait()
        with sole_writer(tmp_path, Ranks(), NoProgress()):
            pass
    with sole_writer(tmp_path, Ranks(), NoProgress()):
        pass


def test_a_run_that_was_refused_for_something_else_leaves_no_new_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), sole_writer(tmp_path / "new", Ranks(), NoProgress()):
        raise ZeroDivisionError
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    with sole_writer(tmp_path / "old", Ranks(), NoProgress()):
        pass
    assert (tmp_path / "old").exists()
    with sole_writer(tmp_path / "used", Ranks(), NoProgress()):
        (tmp_path / "used" / "metrics.jsonl").touch()
    assert (tmp_path / "used" / "metrics.jsonl").exists()


class Second(Ranks):
    """The second of two processes, whose first one says what it found."""

    number, count = 1, 2

    def __init__(self, first_said: bool) -> None:
        self._first_said = first_said

    def broadcast_object(self, own):
        return self._first_said


def test_other_processes_of_a_run_learn_it_from_the_first_and_hold_nothing(tmp_path):
    with pytest.raises(SettingsError), sole_writer(tmp_path, Second(first_said=False), NoProgress()):
        pass
    with held_by_another(tmp_path), sole_writer(tmp_path, Second(first_said=True), NoProgress()):
        assert (tmp_path / LOCK).exists()


def test_a_file_system_without_locks_is_warned_of(tmp_path, monkeypatch):
    class NoLock(FileLock):
        def acquire(self, *_, **__):
            raise NotImplementedError("no flock here")

    told = []

    class Told(NoProgress):
        def warn(self, text):
            told.append(text)

    monkeypatch.setattr(trainer_bridge.sole_writer, "FileLock", NoLock)
    with sole_writer(tmp_path, Ranks(), Told()):
        pass
    assert told == [f"{tmp_path} cannot be locked (no flock here): do not start a second run there"]
