"""Two runs at once do not write to one folder, and a killed one does not keep the next from it."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import trainer_bridge.sole_writer
from tests.making.altered_library import alter_library
from trainer_bridge.errors import OtherProcessError, SettingsError
from trainer_bridge.loop import train
from trainer_bridge.ranks import Ranks
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.sole_writer import LOCK, sole_writer

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


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

    def __init__(self, refused: str = "") -> None:
        self._refused = refused

    @contextmanager
    def fail_together(self):
        yield
        if self._refused:
            raise OtherProcessError(self._refused)


def test_other_processes_of_a_run_learn_it_from_the_first_and_hold_nothing(tmp_path):
    with pytest.raises(OtherProcessError), sole_writer(tmp_path, Second(refused="it is taken"), NoProgress()):
        pass
    with held_by_another(tmp_path), sole_writer(tmp_path, Second(), NoProgress()):
        assert (tmp_path / LOCK).exists()


class Told(NoProgress):
    def __init__(self) -> None:
        self.told = []

    def warn(self, text):
        self.told.append(text)


def begin(folder, told=None) -> None:
    with sole_writer(folder, Ranks(), told or NoProgress()):
        pass


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK])
def test_a_file_system_without_locks_is_warned_of_and_a_killed_run_blocks_nothing(tmp_path, monkeypatch, number):
    def no_locks(*_):
        raise OSError(number, "no locks here")

    alter_library(monkeypatch, trainer_bridge.sole_writer, "fcntl", flock=no_locks)
    (tmp_path / LOCK).write_text("process 1 on another-machine\n")
    told = Told()
    begin(tmp_path, told)
    assert told.told == [f"{tmp_path} cannot be locked (no locks here): do not start a second run there"]


def test_who_holds_the_folder_is_told(tmp_path):
    with sole_writer(tmp_path, Ranks(), NoProgress()), pytest.raises(SettingsError) as refused:
        begin(tmp_path)
    assert f"another run writes there (process {os.getpid()} on " in str(refused.value)


@pytest.mark.parametrize("said", ["", "\x1b[31m process 1 on a", "process 1 on a\nprocess 2 on b", "\xff" * 999])
def test_what_is_not_a_holder_is_not_repeated(tmp_path, said):
    with held_by_another(tmp_path):
        (tmp_path / LOCK).write_text(said)
        with pytest.raises(SettingsError, match=r"another run writes there\. Wait until"):
            begin(tmp_path)


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_lock_that_is_not_a_plain_file_is_refused_and_left_alone(tmp_path, kind):
    other = tmp_path / "other"
    other.write_text("precious")
    place = tmp_path / "run" / LOCK
    place.parent.mkdir()
    {"link": lambda: place.symlink_to(other), "folder": place.mkdir, "pipe": lambda: os.mkfifo(place)}[kind]()
    with pytest.raises(SettingsError, match=r"run\.lock is not a plain file: remove it"):
        begin(tmp_path / "run")
    assert other.read_text() == "precious"


def test_a_place_where_nobody_can_write_is_refused_at_once(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="file cannot be written to: File exists"):
        begin(tmp_path / "file")
    with pytest.raises(SettingsError, match="x cannot be written to: Not a directory"):
        begin(tmp_path / "file" / "x")
    # Root may write anywhere, so tests that run as root cannot see a real refusal.
    alter_library(monkeypatch, trainer_bridge.sole_writer, "os", access=lambda *_: False)
    with pytest.raises(SettingsError, match="cannot be written to: Permission denied"):
        begin(tmp_path)


def as_another_account(folder, write_there) -> str:
    """What a run of another account says to ``folder``, in a fork."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        said = "it begins"
        try:
            os.setuid(65534)
            write_there(folder)
        except SettingsError as error:
            said = str(error)
        finally:
            os.write(writes, said.encode())
            os._exit(0)
    os.close(writes)
    with open(reads, encoding="utf-8") as file:  # noqa: PTH123 -- a descriptor
        said = file.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another account")
def test_two_accounts_in_one_folder_keep_each_other_out(tmp_path):
    """The second could not open the first one's file, was warned, and wrote."""
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        Path(name).chmod(0o777)
        begin(Path(name))
        assert as_another_account(Path(name), begin) == "it begins"
        with sole_writer(Path(name), Ranks(), NoProgress()):
            assert "another run writes there" in as_another_account(Path(name), begin)
        Path(name).chmod(0o755)
        assert as_another_account(Path(name), begin).endswith("cannot be written to: Permission denied")


def test_a_forked_process_does_not_hold_it_for_a_run_that_was_killed(tmp_path):
    (reads, ready), (ends, lives) = os.pipe(), os.pipe()
    run = os.fork()
    if run == 0:
        with sole_writer(tmp_path, Ranks(), NoProgress()):
            if os.fork() == 0:
                os.close(lives)
                os.write(ready, b"x")
                os.read(ends, 1)  # until the test has ended
                os._exit(0)
            os.close(lives)
            os.read(ends, 1)
            os._exit(0)
    try:
        assert os.read(reads, 1) == b"x"
        with pytest.raises(SettingsError):
            begin(tmp_path)
        os.kill(run, signal.SIGKILL)
        os.waitpid(run, 0)
        begin(tmp_path)
    finally:
        for one in (reads, ready, ends, lives):
            os.close(one)


def test_an_unused_folder_is_removed_before_another_run_may_begin(tmp_path, monkeypatch):
    """Between the two, a second run could begin in a folder that was then removed."""
    folder, seen = tmp_path / "new", []
    plain = trainer_bridge.sole_writer._remove_unused

    def remove(path):
        with pytest.raises(SettingsError):
            begin(path)
        seen.append(path)
        plain(path)

    monkeypatch.setattr(trainer_bridge.sole_writer, "_remove_unused", remove)
    begin(folder)
    assert seen == [folder]
    assert not folder.exists()


def test_a_file_that_was_removed_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    plain, folder = fcntl.flock, tmp_path / "run"

    def removed_first(lock, operation):
        alter_library(monkeypatch, trainer_bridge.sole_writer, "fcntl", flock=plain)
        (folder / LOCK).unlink()
        folder.rmdir()
        plain(lock, operation)

    alter_library(monkeypatch, trainer_bridge.sole_writer, "fcntl", flock=removed_first)
    with sole_writer(folder, Ranks(), NoProgress()), pytest.raises(SettingsError, match="another run"):
        begin(folder)


def test_a_folder_that_moves_is_still_held_where_it_is(tmp_path):
    with sole_writer(tmp_path / "one", Ranks(), NoProgress()):
        (tmp_path / "one").rename(tmp_path / "two")
        with pytest.raises(SettingsError, match="another run"):
            begin(tmp_path / "two")
