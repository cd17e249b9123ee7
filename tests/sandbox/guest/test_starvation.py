"""A program is late by its own fault, or strangers had the processor: no test here depends on who has it now."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.guest import starvation
from sandbox.guest.starvation import CpuClock, box_cpu_seconds


class Machine:
    """A box's processor time and the threads of a program in it, as a test sets them."""

    def __init__(self, box: float | None = 100.0) -> None:
        self.box = box
        self.threads: list[tuple[float, float]] = [(0.0, 0.0)]
        self.clock = CpuClock(7, lambda: self.box, lambda _: iter(self.threads), lambda: 0.0)

    def passes(self, *threads: tuple[float, float], box: float = 0.0) -> bool:
        """Whether a program of 2 s counts as starved now: ``(ran, waited)`` of each thread that lives."""
        self.threads = list(threads)
        if self.box is not None:
            self.box = 100.0 + box
        return self.clock.is_starved(2.0)


@pytest.mark.parametrize("has_group", [True, False])
def test_a_program_that_waited_while_strangers_ran_is_starved(has_group: bool) -> None:
    assert Machine(100.0 if has_group else None).passes((0.7, 1.3), box=0.7)


@pytest.mark.parametrize(
    ("threads", "box"),
    [
        ([(1.9, 0.1)], 1.9),  # it spun
        ([(0.01, 0.0)], 0.01),  # it slept
        ([(0.3, 1.7), *[(0.34, 1.6)] * 5], 2.0),  # five busy children, one processor
        ([(0.4, 1.6)], 2.0),  # children that are dead already, which only the group remembers
        ([(0.02, 1.18)] * 60, 1.2),  # sixty threads that wake each other: they wait for one another
        ([(0.2, 0.0)], 0.2),  # it ran a little whenever it was looked at
        ([], 0.0),  # nothing lives any more
    ],
)
def test_a_program_that_used_or_did_not_want_its_time_is_not(threads: list[tuple[float, float]], box: float) -> None:
    assert not Machine().passes(*threads, box=box)


def test_only_the_groups_clock_is_beyond_a_programs_reach() -> None:
    assert Machine(1.0).clock.is_exact
    assert not Machine(None).clock.is_exact


def test_outside_a_box_of_its_own_no_group_is_asked() -> None:
    assert os.getpid() != 1
    assert box_cpu_seconds() is None


def test_a_box_reads_its_own_control_group_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``cpu.stat`` of version 2 is the whole machine's unless the box has a control group of its own."""
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    (tmp_path / "usage").write_text("7000000000\n")
    monkeypatch.setattr(starvation, "_IS_INIT", True)
    monkeypatch.setattr(starvation, "_OF_VERSION_2", (f"{tmp_path}/cpu.stat", 1, 1e6))
    monkeypatch.setattr(starvation, "_OF_VERSION_1", ((f"{tmp_path}/none", 0, 1.0), (f"{tmp_path}/usage", 0, 1e9)))
    for is_own, seconds in ((True, 2.5), (False, 7.0)):
        monkeypatch.setattr(starvation, "_is_control_group_of_its_own", lambda is_own=is_own: is_own)
        starvation._usage_files.cache_clear()
        assert box_cpu_seconds() == seconds
    starvation._usage_files.cache_clear()


def test_the_kernels_figures_of_a_living_program_are_read() -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "print(sum(range(10**6)), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        [(ran, waited)] = list(CpuClock(process.pid)._threads(process.pid))
        process.kill()
    assert ran > 0
    assert waited >= 0


_KEEPS_TO_ONE = """
import os, time
if {keeps}: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.fork()
while time.process_time() < 0.03: pass
os.write(1, b".")
time.sleep(60)
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one processor nothing can keep to fewer")
@pytest.mark.parametrize("keeps", [True, False])
def test_a_program_that_keeps_to_one_processor_waits_by_its_own_choice(keeps: bool) -> None:
    here = os.sched_getaffinity(0)
    if not keeps:
        os.sched_setaffinity(0, [min(here)])  # the program gets what this process has, so that its processes wait too
    try:
        with subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _KEEPS_TO_ONE.format(keeps=keeps)],
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.read(2) == b".."
            threads = list(CpuClock(process.pid)._threads(process.pid))
            really = int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[1])
            os.killpg(process.pid, signal.SIGKILL)
    finally:
        os.sched_setaffinity(0, here)
    assert len(threads) == 2
    assert really > 0
    assert any(waited for _, waited in threads) is not keeps
