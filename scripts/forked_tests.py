"""A pytest plugin: ``pytest -p scripts.forked_tests --forks N`` collects once and runs the tests in N forks of itself.

xdist starts N interpreters, and each imports and collects everything: with coverage 28 s of CPU a process. A fork has
it all already, and shares the memory. Tests are handed over a file at a time, or all that have one
``@pytest.mark.together(NAME)`` at once, so that a fixture of a file is made once and a hub that several files share is
started once. Files of many tests that share no fixture are cut, so that all processes end at about the same time.
"""

import atexit
import contextlib
import json
import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest
from _pytest.capture import FDCaptureBase
from _pytest.config import create_terminal_writer

# pytest has no public way to do what a fork must: its own folder, its own terminal, its own end.
# ruff: noqa: SLF001

_MANY = 40
"""A file of so many tests has quick ones. Such files come last, so that no process has a slow file left at the end.
Together they can still take a minute, so they are cut into pieces of so many where no test waits for another's fixture.
"""
_FILES_TOLD = 25
"""How many files are named at the end, with the time that each took."""
_SHARED = ("class", "module", "package")
"""Scopes of fixtures that a piece of a file would make again."""
_END_SECONDS = 60.0
"""How long a process may take to end after it was told to."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--forks N``; without it tests run in this process, as ever."""
    parser.addoption("--forks", type=int, default=0, metavar="N", help="Run the tests in N forks of this process.")
    parser.addoption("--times", type=Path, metavar="FILE", help="Write a line of JSON for each test that forks ran.")


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and the loop where forks are asked for."""
    config.addinivalue_line("markers", "together(name): tests of one name run in one process, one after another")
    if config.getoption("forks") > 0:
        config.pluginmanager.register(ForkedLoop(config.getoption("forks"), config.getoption("times")), "forked-loop")


def portions_of(items: Sequence[pytest.Item]) -> list[list[int]]:
    """The places of tests that are handed over at once: of a mark, of a file, or last a piece of a file of many."""
    found: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        mark = item.get_closest_marker("together")
        found.setdefault(f"@{mark.args[0]}" if mark else str(item.path), []).append(place)
    first, many, pieces = [], [], []
    for name, places in found.items():
        if name.startswith("@") or len(places) < _MANY:
            first.append(places)
        elif any(_shares(items[place]) for place in places):
            many.append(places)
        else:
            pieces += [places[start : start + _MANY] for start in range(0, len(places), _MANY)]
    return first + many + pieces


def _shares(item: pytest.Item) -> bool:
    """Whether a fixture that the test asks for is made once for several tests of its file."""
    info = getattr(item, "_fixtureinfo", None)  # a test that is no function has none
    definitions = info.name2fixturedefs.values() if info is not None else ()
    return any(one.scope in _SHARED for found in definitions for one in found)


@dataclass
class _Fork:
    """One process, as its parent sees it. ``line`` leads to it; ``owed`` are the places that it has not finished."""

    number: int
    process: ForkProcess
    line: Connection
    owed: list[int] = field(default_factory=list)
    running: int | None = None
    cpu_seconds: float = 0.0
    ended_at: float = 0.0


class ForkedLoop:
    """Takes the place of pytest's own loop over the collected tests.

    ``times`` is a file: a line for each test, with its id and its seconds of time and of CPU time, fixtures included.
    """

    def __init__(self, forks: int, times: Path | None = None) -> None:
        self._times = times
        self._count = forks
        self._portions: deque[list[int]] = deque()
        self._forks: dict[Connection, _Fork] = {}
        self._cpu_of_files: Counter[str] = Counter()
        self._wall_of_files: Counter[str] = Counter()
        self._all: list[_Fork] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all that was collected; None leaves it to pytest, which says what is wrong or lists what there is."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        self._portions.extend(portions_of(session.items))
        self._began_at = time.monotonic()
        folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            for number in range(min(self._count, len(self._portions))):
                self._start(session, number, folder)
            while self._forks:
                for line in wait(list(self._forks)):
                    self._hear(session, self._forks[line], folder)  # type: ignore[index]
        finally:
            self._end()
        for reason in (session.shouldfail, session.shouldstop):
            if reason:
                raise (session.Failed if reason is session.shouldfail else session.Interrupted)(reason)
        return True

    def _start(self, session: pytest.Session, number: int, folder: Path) -> None:
        ours, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        process = context.Process(target=_run, args=(session, number, theirs, folder))
        process.start()
        theirs.close()
        self._forks[ours] = fork = _Fork(number, process, ours)
        self._all.append(fork)

    def _hear(self, session: pytest.Session, fork: _Fork, folder: Path) -> None:
        try:
            what, value = fork.line.recv()
        except (EOFError, ConnectionError):
            self._bury(session, fork, folder)
            return
        if what == "next":
            portion = self._portions.popleft() if self._portions else []
            fork.owed += portion
            fork.line.send(portion)
        elif what == "start":
            fork.running = value
        elif what == "report":
            self._log(session, value)
        else:  # a test has ended
            place, seconds, wall_seconds = value
            fork.running, fork.ended_at = None, time.monotonic()
            fork.owed.remove(place)
            fork.cpu_seconds += seconds
            file = session.items[place].location[0]
            self._cpu_of_files[file] += seconds
            self._wall_of_files[file] += wall_seconds
            if self._times is not None:
                row = {"test": session.items[place].nodeid, "seconds": round(wall_seconds, 3), "cpu": round(seconds, 3)}
                with self._times.open("a") as rows:
                    rows.write(json.dumps(row) + "\n")

    def _log(self, session: pytest.Session, data: dict[str, Any]) -> None:
        hook = session.config.hook
        report = hook.pytest_report_from_serializable(config=session.config, data=data)
        hook.pytest_runtest_logreport(report=report)
        if report.when == "teardown":
            hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        if session.shouldfail or session.shouldstop:
            self._portions.clear()
            for fork in self._forks.values():
                with contextlib.suppress(OSError):
                    fork.line.send(None)

    def _bury(self, session: pytest.Session, fork: _Fork, folder: Path) -> None:
        """A process has ended. If a test was running in it, that test failed, and another process does what is left."""
        del self._forks[fork.line]
        fork.line.close()
        fork.process.join()
        is_stopped = session.shouldfail or session.shouldstop
        if fork.running is None:
            if fork.process.exitcode or (fork.owed and not is_stopped):
                raise RuntimeError(f"a process for tests ended between two of them, with {fork.process.exitcode}")
            return
        item = session.items[fork.running]
        words = f"the process that ran this test ended with {fork.process.exitcode}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
        session.config.hook.pytest_runtest_logreport(report=report)
        fork.owed.remove(fork.running)
        if fork.owed and not is_stopped:
            self._portions.appendleft(fork.owed)
            self._start(session, fork.number, folder)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Where the time went: files by how long they took; of each process, how long it worked.

        The rest of a file's time it waits: for limits of seconds, for the engine, for other tests on the processors.
        """
        if not self._cpu_of_files:
            return
        terminalreporter.section("time of files, and of it CPU time, fixtures and ended child processes included")
        rows = [(file, wall, self._cpu_of_files[file]) for file, wall in self._wall_of_files.most_common(_FILES_TOLD)]
        whole = f"all {len(self._cpu_of_files)} files"
        for file, wall, cpu in [*rows, (whole, self._wall_of_files.total(), self._cpu_of_files.total())]:
            terminalreporter.write_line(f"{wall:7.1f} s  {cpu:7.1f} s of CPU  {file}")
        for fork in self._all:
            worked = max(0.0, fork.ended_at - self._began_at)
            terminalreporter.write_line(f"process {fork.number}: {fork.cpu_seconds:.0f} s of CPU until {worked:.0f} s")

    def _end(self) -> None:
        """Where all went well nobody is left. Else all hear what a person's Ctrl-C says, and may end what they hold."""
        for fork in self._forks.values():
            if fork.process.pid and fork.process.is_alive():
                os.kill(fork.process.pid, signal.SIGINT)
        for fork in self._forks.values():
            fork.process.join(_END_SECONDS)
            fork.process.kill()


class _Sender:
    """Says in a fork what its tests do."""

    def __init__(self, config: pytest.Config, line: Connection) -> None:
        self._config = config
        self._line = line

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._line.send(("report", data))


def _run(session: pytest.Session, number: int, line: Connection, folder: Path) -> None:
    """What a fork does: tests until there are none."""
    config = session.config
    config.workerinput = {"workerid": f"fork{number}"}  # type: ignore[attr-defined]  # plugins know a worker by it
    config._tmp_path_factory._basetemp = _folder_of(folder, number)  # type: ignore[attr-defined]
    reporter = config.pluginmanager.getplugin("terminalreporter")
    reporter._tw = create_terminal_writer(config, Path(os.devnull).open("w"))  # noqa: SIM115 -- until the fork ends
    _capture_apart(config)
    config.pluginmanager.register(_Sender(config, line))
    try:
        for place, item, following in _items(session, line):
            line.send(("start", place))
            before, began_at = sum(os.times()[:4]), time.monotonic()
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            line.send(("end", (place, sum(os.times()[:4]) - before, time.monotonic() - began_at)))
    except (KeyboardInterrupt, EOFError, ConnectionError):
        return  # the parent says that all was interrupted, or is gone
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would leave behind what fixtures hold
        session._setupstate.teardown_exact(None)
        config.hook.pytest_sessionfinish(session=session, exitstatus=0)
        atexit._run_exitfuncs()  # a fork ends without them


def _capture_apart(config: pytest.Config) -> None:
    """What is printed is captured in files that the parent and all forks would share.

    The files are replaced below their numbers: modules that were imported before hold the streams above them.
    """
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.suspend_global_capture()
    for stream in (capture._global_capturing.out, capture._global_capturing.err):
        if isinstance(stream, FDCaptureBase):
            with tempfile.TemporaryFile(buffering=0) as own:
                os.dup2(own.fileno(), stream.tmpfile.fileno(), inheritable=False)


def _folder_of(folder: Path, number: int) -> Path:
    """A folder for a fork's files: a new one for a process that follows another."""
    for again in range(1000):
        with contextlib.suppress(FileExistsError):
            made = folder / (f"fork{number}" + f"-{again}" * (again > 0))
            made.mkdir(mode=0o700)
            return made
    raise AssertionError("processes die one after another")


def _items(session: pytest.Session, line: Connection) -> Iterator[tuple[int, pytest.Item, Any]]:
    """Each test with the one that follows, whose fixtures stay; after a portion's last test those of the session stay.

    What the parent says unasked means that all shall end.
    """
    while portion := _next(line):
        for place, following in zip(portion, [*portion[1:], None], strict=True):
            yield place, session.items[place], session if following is None else session.items[following]
            if line.poll():
                return


def _next(line: Connection) -> list[int]:
    line.send(("next", None))
    answer: list[int] | None = line.recv()
    return answer or []
