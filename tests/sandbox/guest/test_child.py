"""A child as the zygote sees it: how it ended, what it left unsaid, and what it may not keep."""

import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sandbox.guest import child as child_module
from sandbox.guest import frames
from sandbox.guest.child import NOT_PREPARED, Child, NotPreparedError
from sandbox.guest.clock import Clock
from sandbox.guest.line import BEYOND_OURS, FIRST_OF_OURS, Line, line_descriptor
from sandbox.guest.messages import END, PART_BYTES, PART_OF_SOLVED, SOLVED
from tests.making.altered_library import alter_library
from tests.sandbox.guest.forked import fork, in_child, in_interpreter

Main = Callable[[socket.SocketType], None]
ANSWER = bytes((END,)) + b"forged"


@contextmanager
def child_of(main: Main) -> Iterator[tuple[Child, Line]]:
    incoming, outgoing = os.pipe()
    line = Line(incoming, outgoing)
    child = Child(line, fork, main)
    try:
        yield child, line
    finally:
        child.kill()
        child.reap()
        child.close()
        os.close(incoming)
        os.close(outgoing)


def open_files() -> Iterator[str]:
    """What this process has open, by name."""
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            yield str(path.readlink())


def _raise(error: BaseException) -> None:
    raise error


# -- how it ended ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("main", "ended"),
    [
        (lambda _: None, (frames.FINISHED, 0)),
        (lambda _: os._exit(0), (frames.FINISHED, 0)),
        (lambda _: os._exit(7), (frames.EXITED, 7)),
        (lambda _: _raise(ValueError()), (frames.EXITED, 70)),
        (lambda _: _raise(SystemExit(0)), (frames.EXITED, 70)),
        (lambda _: _raise(KeyboardInterrupt()), (frames.EXITED, 70)),
        (lambda _: _raise(NotPreparedError()), (frames.EXITED, NOT_PREPARED)),
        (lambda _: _raise(MemoryError()), (frames.EXITED, 71)),
        (lambda _: os.kill(os.getpid(), signal.SIGKILL), (frames.SIGNALLED, signal.SIGKILL)),
        (lambda _: os.kill(os.getpid(), signal.SIGXCPU), (frames.TIMED_OUT, signal.SIGXCPU)),
    ],
    ids=[
        "returns",
        "exit 0",
        "exit 7",
        "raises",
        "SystemExit",
        "Ctrl-C",
        "not prepared",
        "memory",
        "SIGKILL",
        "SIGXCPU",
    ],
)
def test_every_end_has_its_word(main: Main, ended: tuple[int, int]) -> None:
    with child_of(main) as (child, _):
        assert child.reap() == ended
        assert child.reap() == ended, "asked again, it is the same"


def test_a_file_that_grew_too_large_is_output() -> None:
    def main(_: socket.SocketType) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        file = os.memfd_create("x")
        os.write(file, b"x" * 20)
        os.write(file, b"x")

    with child_of(main) as (child, _):
        assert child.reap() == (frames.FLOODED, signal.SIGXFSZ)


def test_a_child_that_is_reaped_is_never_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may belong to somebody else by then."""
    with child_of(lambda _: None) as (child, _):
        child.reap()
        alter_library(monkeypatch, child_module, "os", kill=lambda *_: pytest.fail("somebody else was killed"))
        child.kill()


# -- what came after the answer --------------------------------------------------------------------------------------


def _says(*messages: bytes) -> Main:
    return lambda line: [line.send(message) for message in messages] and None


@pytest.mark.parametrize(
    ("messages", "more"),
    [
        ([ANSWER], False),
        ([ANSWER, b"E"], True),
        ([ANSWER, b""], False),
        ([ANSWER, b"", b"", b"Ethe real one"], True),
        ([ANSWER, b"a", b""], True),
    ],
    ids=["nothing", "another", "an empty message", "another behind empty ones", "a request"],
)
def test_a_word_after_the_answer_is_seen(messages: list[bytes], more: bool) -> None:
    with child_of(_says(*messages)) as (child, line):
        child.reap()
        assert child.receive(line) == len(ANSWER)
        assert child.has_more() is more


def test_a_word_after_the_answer_is_seen_also_of_a_child_that_did_not_read_its_line() -> None:
    """The kernel then makes one call on the socket fail, before it hands out what was sent."""
    low, tell = os.pipe()
    told = fcntl.fcntl(low, fcntl.F_DUPFD, 900)  # a child closes the numbers that a zygote's lines have
    os.close(low)

    def main(line: socket.SocketType) -> None:
        line.send(ANSWER)
        os.read(told, 1)  # an answer to a request lies there now, unread
        line.send(b"Ethe real one")

    with child_of(main) as (child, line):
        child.exit.wait(0)
        while child.receive(line) == 0:
            os.sched_yield()
        assert child.send_parts(memoryview(b"{}"), PART_OF_SOLVED, SOLVED, Clock(60.0))
        os.write(tell, b"x")
        child.reap()
        assert child.has_more()
    os.close(told)
    os.close(tell)


def test_a_message_that_is_longer_than_any_is_cut_and_no_more() -> None:
    def main(line: socket.SocketType) -> None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        line.send(b"E" + b"x" * 300_000)

    with child_of(main) as (child, line):
        if child.reap()[0] == frames.FINISHED:  # else this kernel lets nobody send so much
            assert child.receive(line) == len(line.relay)
            assert child.receive(line) == 0
        line.forget_relay()
        assert not any(line.relay)


def test_descriptors_that_a_child_sends_do_not_stay_with_the_zygote() -> None:
    name = f"sent-{os.getpid()}"

    def main(line: socket.SocketType) -> None:
        socket.send_fds(socket.socket(fileno=os.dup(line.fileno())), [ANSWER], [os.memfd_create(name)] * 16)

    with child_of(main) as (child, line):
        child.reap()
        assert child.receive(line) == len(ANSWER)
        assert not any(name in path for path in open_files()), "a thread of another test may open and close others"


# -- what a child has ------------------------------------------------------------------------------------------------


def foreign_lines_of_a_child(files: int) -> list[int]:
    """The sockets among our numbers that a child has beside its own line, where so many files are open."""
    null = os.open(os.devnull, os.O_RDWR)
    line = Line(line_descriptor(null), line_descriptor(null))
    for _ in range(files):
        os.dup(null)
    sockets = []

    def main(sock: socket.SocketType) -> None:
        for number in range(FIRST_OF_OURS, BEYOND_OURS):
            try:
                is_socket = os.fstat(number).st_mode >> 12 == 0o14
            except OSError:
                continue
            if is_socket:
                sockets.append(number)
        sock.send(repr((sockets, sock.fileno())).encode())

    child = Child(line, fork, main)
    assert child.reap() == (frames.FINISHED, 0)
    count = child.receive(line)
    seen, own = eval(bytes(line.relay[:count]))
    return [number for number in seen if number != own]


@pytest.mark.parametrize("files", [0, 36, 50], ids=lambda files: f"{files} files")
def test_a_child_has_no_line_but_its_own(files: int) -> None:
    """Also where the package has so many files open that a child's line gets the number of a zygote's."""
    assert in_interpreter(foreign_lines_of_a_child, files) == []


def test_what_a_child_writes_to_its_standard_error_goes_nowhere() -> None:
    def body() -> bool:
        ours, theirs = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(theirs, 2)
        child = Child(Line(null, null), fork, lambda _: os.write(2, b"a secret") and None)
        child.reap()
        os.dup2(null, 2)
        os.close(theirs)
        return os.read(ours, 100) == b""

    assert in_child(body)


# -- a child that does not read --------------------------------------------------------------------------------------


class _Dripping:
    """A socket of a child that reads one message whenever the zygote is about to give up."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[float] = []
        self._timeout: float | None = None

    def settimeout(self, seconds: float | None) -> None:
        self._timeout = seconds

    def sendmsg(self, _: object, __: tuple[()] = (), flags: int = 0) -> None:
        if flags & socket.MSG_DONTWAIT:
            raise BlockingIOError
        assert self._timeout is not None
        self.waited.append(self._timeout)
        self.now += self._timeout * 0.95


def test_a_child_that_reads_drop_by_drop_has_no_more_time_than_others() -> None:
    with child_of(lambda line: line.recv(1) and None) as (child, _):
        real, drip = child.sock, _Dripping()
        child.sock = drip  # type: ignore[assignment]
        clock = Clock(2.0, 1, lambda: drip.now)
        child.send_parts(memoryview(bytes(100 * PART_BYTES)), PART_OF_SOLVED, SOLVED, clock)
        child.sock = real
        assert len(drip.waited) == 100
        assert drip.now <= 2.0 + 100 * 0.001, "so much in all, and not for each part"


def test_a_child_that_reads_nothing_is_ended_when_the_clock_has_run_out() -> None:
    with child_of(lambda _: signal.pause() and None) as (child, _):
        clock = Clock(-1.0)
        assert not child.send_parts(memoryview(bytes(100 * PART_BYTES)), PART_OF_SOLVED, SOLVED, clock)
        assert child.reap() == (frames.SIGNALLED, signal.SIGKILL)


def test_a_child_that_has_gone_takes_nothing() -> None:
    with child_of(lambda _: None) as (child, _):
        child.exit.wait(60.0)
        assert not child.send_parts(memoryview(b"{}"), PART_OF_SOLVED, SOLVED, Clock(60.0))


def test_what_is_set_on_standard_streams_in_a_child_is_not_set_in_its_parent() -> None:
    """Nor in the next child: what a child inherits it shares."""
    program = f"""
import fcntl, os, sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r})
from sandbox.guest.child import take_streams_of_its_own
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 0)
for _ in range(2):
    pid = os.fork()
    if pid == 0:
        take_streams_of_its_own()
        if any(fcntl.fcntl(n, fcntl.F_GETFL) & os.O_APPEND or not os.get_inheritable(n) for n in range(3)):
            os._exit(3)
        for n in range(3):
            fcntl.fcntl(n, fcntl.F_SETFL, os.O_APPEND)
        os._exit(len(os.listdir("/proc/self/fd")) - 5)  # those three, ``null``, and the one that lists
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0", "0"]
