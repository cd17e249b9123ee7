"""Harm is done at random until it is over; a box that was gone already is no failure of the run."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.harm import harms as harms_module
from sandbox.checks.harm.harms import Harmer, Harms
from sandbox.checks.harm.left import started_at
from sandbox.checks.harm.own_engine import OwnEngine
from tests.making.altered_library import alter_library


class ToldEngine(OwnEngine):
    """Answers what ``docker`` would say, and notes what it was told."""

    def __init__(self, folder: Path, answers: dict[str, str]) -> None:
        super().__init__(folder)
        self.answers = answers
        self.told: list[tuple[str, ...]] = []

    def docker(self, *arguments: str, check: bool = True) -> str:
        self.told.append(arguments)
        return self.answers.get(arguments[0], "")

    def kill(self) -> None:
        self.told.append(("engine", "kill"))

    def start(self) -> None:
        self.told.append(("engine", "start"))

    def freeze(self) -> None:
        self.told.append(("engine", "freeze"))

    def thaw(self) -> None:
        self.told.append(("engine", "thaw"))

    def fill_disk(self, leave_mb: int) -> None:
        self.told.append(("disk", "fill"))

    def free_disk(self) -> None:
        self.told.append(("disk", "free"))


def harms_of(folder: Path, **answers: str) -> tuple[ToldEngine, Harms]:
    engine = ToldEngine(folder, answers)
    return engine, Harms(engine, folder, seed=1, moment_seconds=0.0)


def test_a_box_is_chosen_by_its_label_and_harmed(tmp_path: Path) -> None:
    engine, harms = harms_of(tmp_path, ps="abc\n")
    harms.table()["remove a box"][1]()
    assert engine.told == [
        ("ps", "-q", "--no-trunc", "--filter", "label=verihub.sandbox"),
        ("rm", "-f", "abc"),
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kill a box", [("kill", "abc")]),
        ("pause a box for good", [("pause", "abc")]),
        ("pause a box for a moment", [("pause", "abc"), ("unpause", "abc")]),
        ("kill the engine", [("engine", "kill"), ("engine", "start")]),
        ("freeze the engine", [("engine", "freeze"), ("engine", "thaw")]),
        ("fill the engine's disk", [("disk", "fill"), ("disk", "free")]),
    ],
)
def test_what_lasts_for_a_moment_ends(tmp_path: Path, name: str, told: list[tuple[str, str]]) -> None:
    engine, harms = harms_of(tmp_path, ps="abc\n")
    harms.table()[name][1]()
    assert [one for one in engine.told if one[0] != "ps"] == told


@pytest.mark.parametrize(
    ("name", "signals"),
    [
        ("kill a zygote", [signal.SIGKILL]),
        ("stop a zygote for good", [signal.SIGSTOP]),
        ("stop a zygote for a moment", [signal.SIGSTOP, signal.SIGCONT]),
    ],
)
def test_a_zygote_is_signalled_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, signals: list[signal.Signals]
) -> None:
    sent: list[tuple[int, signal.Signals]] = []
    alter_library(monkeypatch, harms_module, "os", kill=lambda *one: sent.append(one))
    _, harms = harms_of(tmp_path, ps="abc\n", inspect="4321\n")
    harms.table()[name][1]()
    assert sent == [(4321, number) for number in signals]
    assert [pid for pid, _ in harms.zygotes] == [4321]


def test_another_guest_with_the_number_of_one_that_was_harmed_is_not_taken_for_it(tmp_path: Path) -> None:
    _, harms = harms_of(tmp_path)
    command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()", "sandbox/guest/__main__.py"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # until then it may still bear this process's command
        harms.zygotes = {(process.pid, started_at(process.pid))}
        assert harms.living_zygotes() == [process.pid]
        harms.zygotes = {(process.pid, "1")}
        assert harms.living_zygotes() == []
        process.communicate()


def test_an_order_is_done_each_once_whatever_comes_too_late(tmp_path: Path) -> None:
    engine, harms = harms_of(tmp_path)
    looks = iter(["", "abc\n", "abc\n"])

    def docker(*arguments: str, check: bool = True) -> str:
        engine.told.append(arguments)
        return next(looks) if arguments[0] == "ps" else ""

    engine.docker = docker  # type: ignore[method-assign]
    harmer = Harmer(harms, longest_pause=0.06, order=("kill a box", "kill the engine", "remove a box"))
    harmer.run()
    assert harmer.done == {"(too late)": 1, "kill a box": 1, "kill the engine": 1, "remove a box": 1}
    assert [one[:2] for one in engine.told if one[0] != "ps"] == [
        ("kill", "abc"),
        ("engine", "kill"),
        ("engine", "start"),
        ("rm", "-f"),
    ]


def test_what_second_clients_were_told_wrong_is_read(tmp_path: Path) -> None:
    _, harms = harms_of(tmp_path)
    assert harms.said_by_second_clients() == []
    (tmp_path / "second-clients.txt").write_text("'wrong'\n'too'\n")
    assert harms.said_by_second_clients() == ["'wrong'", "'too'"]


def test_a_zygote_of_an_ended_box_is_never_signalled(tmp_path: Path) -> None:
    """The engine says 0 for it, and to signal 0 is to signal ourselves."""
    _, harms = harms_of(tmp_path, ps="abc\n", inspect="0\n")
    harmer = Harmer(harms, longest_pause=0.06)
    harms.table = only(harms, "kill a zygote", harmer, times=2)  # type: ignore[method-assign]
    harmer.run()
    assert harmer.failure is None
    assert harmer.done == {"(too late)": 2}
    assert harms.zygotes == set()


def test_what_keeps_harm_from_being_done_is_told(tmp_path: Path) -> None:
    _, harms = harms_of(tmp_path)

    def broken() -> None:
        raise PermissionError("mount")

    harms.table = lambda: {"x": (1, broken)}  # type: ignore[method-assign]
    harmer = Harmer(harms, longest_pause=0.06)
    harmer.run()
    assert isinstance(harmer.failure, PermissionError)


def only(harms: Harms, name: str, harmer: Harmer, times: int) -> Callable[[], dict[str, Any]]:
    """A table of one harm, after which all is over."""
    harm = harms.table()[name][1]
    left = iter(range(times - 1, -1, -1))

    def counted() -> None:
        if next(left) == 0:
            harmer.is_over.set()
        harm()

    return lambda: {name: (1, counted)}
