"""What a look at what is left finds, and what it takes for granted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from sandbox.checks.harm.left import (
    children_of,
    descriptors,
    living,
    processes_of,
    shims_of,
    started_at,
    state_of,
    strange_files,
    what_stays,
)
from tests.sandbox.guest.forked import in_child


def test_locks_the_id_and_finished_layers_are_no_litter_and_everything_else_is(tmp_path: Path) -> None:
    for name in (
        "state/id",
        "state/owner-0.lock",
        "state/owner-1.sockets/tmpx/line",
        "images/layers/sha.tar",
        "images/layers/half.part",
        "filler",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert sorted(strange_files(tmp_path)) == ["filler", "images/layers/half.part", "state/owner-1.sockets/tmpx/line"]


def test_a_process_is_found_by_the_folder_that_its_command_names(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # until then the process may still bear the command of this one
        assert processes_of(str(tmp_path)) == [process.pid]
        assert process.pid in children_of(os.getpid())
        assert shims_of(str(tmp_path)) == [], "it is no shim"
        assert living([process.pid]) == [], "it is no guest's"
        assert started_at(process.pid) == started_at(process.pid) != ""
        process.communicate()
    assert started_at(process.pid) == ""
    assert processes_of(str(tmp_path)) == []


def test_what_goes_away_in_time_does_not_stay() -> None:
    looks = iter([["box"], []])
    assert what_stays(lambda: next(looks)) == []
    assert what_stays(lambda: ["box"], patience_seconds=0.0) == ["box"]


def test_an_open_pipe_is_seen() -> None:
    def body() -> list[dict[str, int]]:
        before = descriptors()
        pipe = os.pipe()
        opened = descriptors() - before
        for end in pipe:
            os.close(end)
        return [opened, descriptors() - before]

    assert in_child(body) == [{"pipe": 2}, {}]


class Held:
    """A pipe that is closed when nobody has this any more, and that nothing but a collection finds."""

    def __init__(self) -> None:
        self.ends = os.pipe()
        self.itself = self

    def __del__(self) -> None:
        for end in self.ends:
            os.close(end)


def test_a_pipe_that_only_garbage_holds_is_not_left() -> None:
    def body() -> list[int]:
        descriptors()
        found = [descriptors()["pipe"]]
        held = Held()
        found.append(descriptors()["pipe"])
        del held
        return [*found, descriptors()["pipe"]]

    before, held, after = in_child(body)
    assert (held, after) == (before + 2, before)


def test_a_process_that_is_left_is_told_with_what_it_does() -> None:
    """One that was stopped from outside hears of nothing, and ends when it goes on."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert state_of(process.pid) == "T (stopped)"
        process.send_signal(signal.SIGCONT)
        process.communicate()
    assert state_of(process.pid) == "ended since"
