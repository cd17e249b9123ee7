"""What a call may change in its box is found out. Each test looks at a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sandbox.guest.cleanup import wipe

ROOT = str(Path(__file__).resolve().parents[3])


def change_after(program: str, folder: Path) -> str:
    """What the baseline says after ``program`` has run, ``folder`` being the work folder."""
    code = f"""
import sys; sys.path.insert(0, {ROOT!r})
import os, resource
from sandbox.guest.baseline import Baseline
folder = {str(folder)!r}
opened = open({__file__!r})
baseline = Baseline(folder)
{textwrap.dedent(program)}
print(baseline.find_change(), end="")
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", ["", "open(folder + '/x', 'w').close()", "os.chmod(folder, 0o700)"])
def test_what_is_as_it_was_is_no_change(program: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert change_after(program, tmp_path) == ""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("os.chmod(folder, 0o500)", "the work folder"),
        ("os.chmod(folder, 0o1731)", "the work folder"),
        ("os.rmdir(folder)", "the work folder"),
        ("os.rename(folder, folder + '2'); os.symlink(folder + '2', folder)", "the work folder"),
        *[
            (f"resource.setrlimit({number}, (1 << 4, 1 << 4))", "the resource limits")
            for number in (0, 1, 4, 5, 8, 10, 11)
        ],
        ("resource.setrlimit(resource.RLIMIT_NOFILE, (8, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))", "limits"),
        ("os.nice(3)", "the priority"),
        ("os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])", "the processors"),
        ("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))", "the scheduling policy"),
    ],
)
def test_what_is_not_as_it_was_is_named(program: str, words: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    if "affinity" in program and len(os.sched_getaffinity(0)) == 1:
        pytest.skip("one processor")
    assert words in change_after(program, tmp_path)


def test_a_file_that_a_package_opened_is_read_from_where_it_was(tmp_path: Path) -> None:
    program = """
    import fcntl
    os.read(opened.fileno(), 5)
    fcntl.fcntl(opened, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK)
    assert baseline.find_change() == ""
    assert os.lseek(opened.fileno(), 0, os.SEEK_CUR) == 0
    assert not fcntl.fcntl(opened, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK)
    """
    assert change_after(program, tmp_path) == ""


@pytest.mark.parametrize(
    "harm",
    [
        "os.write(kept.fileno(), b'note')",
        "os.pwrite(kept.fileno(), b'X', 1)",
        "os.ftruncate(kept.fileno(), 0)",
        "os.fchmod(kept.fileno(), 0o777)",
        "os.pwrite(kept.fileno(), b'X', 1); os.utime(kept.fileno(), (1, 1))",
    ],
)
def test_a_file_that_a_package_may_write_holds_what_it_held(tmp_path: Path, harm: str) -> None:
    program = f"""
    import tempfile
    kept = tempfile.TemporaryFile(dir="/tmp")
    kept.write(b"before"); kept.flush()
    baseline = Baseline(folder)
    facts = os.fstat(kept.fileno())
    for _ in range(2):
        {harm}
        assert baseline.find_change() == ""
        assert os.pread(kept.fileno(), 100, 0) == b"before"
        assert os.fstat(kept.fileno()).st_mode == facts.st_mode
        assert os.lseek(kept.fileno(), 0, os.SEEK_CUR) == 6
    """
    assert change_after(program, tmp_path) == ""


def test_a_pipe_under_the_highest_number_that_a_package_can_have_is_looked_at(tmp_path: Path) -> None:
    program = """
    import fcntl
    far = [fcntl.fcntl(end, fcntl.F_DUPFD, 1500) for end in os.pipe()]
    os.closerange(3, 1500)
    baseline = Baseline(folder, 1502)
    assert baseline.find_change() == ""
    os.write(far[1], b"note")
    """
    assert "an open pipe or socket" in change_after(program, tmp_path)


def test_a_file_too_large_to_keep_a_copy_of_is_a_change(tmp_path: Path) -> None:
    program = """
    import tempfile
    kept = tempfile.TemporaryFile(dir="/tmp")
    kept.write(bytes(2 << 20)); kept.flush()
    baseline = Baseline(folder)
    assert baseline.find_change() == ""
    os.pwrite(kept.fileno(), b"X", 1)
    """
    assert change_after(program, tmp_path) == "an open file"


def test_a_note_as_the_place_of_a_lock_is_taken_off(tmp_path: Path) -> None:
    """Such a lock belongs to the open file, not to the call's process: it would outlive the call."""
    program = """
    import fcntl, struct
    def lock(kind, start, length):
        return struct.pack("hhqqi4x", kind, 0, start, length, 0)
    fcntl.fcntl(opened, fcntl.F_OFD_SETLK, lock(fcntl.F_RDLCK, 123, 456))
    fcntl.fcntl(opened, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(opened, fcntl.F_SETSIG, 33)
    assert baseline.find_change() == ""
    seen = fcntl.fcntl(open(opened.name), fcntl.F_OFD_GETLK, lock(fcntl.F_WRLCK, 0, 0))
    assert struct.unpack("hhqqi4x", seen)[0] == fcntl.F_UNLCK
    assert fcntl.fcntl(opened, fcntl.F_GETOWN) == fcntl.fcntl(opened, fcntl.F_GETSIG) == 0
    """
    assert change_after(program, tmp_path) == ""


def test_a_folder_that_a_package_opened_is_read_from_where_it_was(tmp_path: Path) -> None:
    program = """
    import fcntl
    kept = os.open("/usr/lib", os.O_RDONLY)
    baseline = Baseline(folder)
    assert os.listdir(kept) and os.lseek(kept, 0, os.SEEK_CUR) == 0
    os.lseek(kept, 3, os.SEEK_SET)
    fcntl.flock(kept, fcntl.LOCK_EX)
    assert baseline.find_change() == ""
    assert os.lseek(kept, 0, os.SEEK_CUR) == 0
    fcntl.flock(os.open("/usr/lib", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    """
    assert change_after(program, tmp_path) == ""


@pytest.mark.parametrize(
    "harm",
    [
        "fcntl.fcntl(reads, fcntl.F_SETFL, os.O_NONBLOCK)",
        "fcntl.fcntl(reads, fcntl.F_SETPIPE_SZ, 8192)",
        "fcntl.fcntl(one, fcntl.F_SETOWN, os.getpid())",
    ],
)
def test_what_is_set_on_a_packages_pipe_or_socket_is_a_change(tmp_path: Path, harm: str) -> None:
    program = f"""
    import fcntl, socket
    reads, writes = os.pipe()
    one, other = socket.socketpair()
    baseline = Baseline(folder)
    assert baseline.find_change() == ""
    {harm}
    """
    assert change_after(program, tmp_path) == "an open pipe or socket"


def test_a_lock_on_a_packages_file_is_taken_off(tmp_path: Path) -> None:
    program = """
    import fcntl
    fcntl.flock(opened, fcntl.LOCK_EX)
    assert baseline.find_change() == ""
    fcntl.flock(open(opened.name), fcntl.LOCK_EX | fcntl.LOCK_NB)
    """
    assert change_after(program, tmp_path) == ""


@pytest.mark.parametrize(
    "harm",
    ["os.write(pipe[1], b'note')", "pair[0].send(b'note')", "os.close(pipe[1])"],
)
def test_what_was_put_into_a_packages_pipe_or_socket_is_a_change(tmp_path: Path, harm: str) -> None:
    program = f"""
    import socket
    pipe, pair = os.pipe(), socket.socketpair()
    baseline = Baseline(folder)
    assert baseline.find_change() == ""
    {harm}
    """
    assert change_after(program, tmp_path) == "an open pipe or socket"


@pytest.mark.parametrize(
    "harm", ["", "os.write(full[1], os.read(full[0], 4)[::-1])", "pair[0].send(pair[1].recv(4)[::-1])"]
)
def test_a_pipe_that_holds_something_counts_as_changed_each_time(tmp_path: Path, harm: str) -> None:
    """A call may take out what it holds and put in as much of something else."""
    program = f"""
    import socket
    full, pair = os.pipe(), socket.socketpair()
    os.write(full[1], b"note")
    pair[0].send(b"note")
    baseline = Baseline(folder)
    {harm}
    """
    assert change_after(program, tmp_path) == "an open pipe or socket"


@pytest.mark.parametrize(
    "harm",
    [
        "os.eventfd_write(counter, 12345)",
        "polled.register(pipe[1])",
        "polled.modify(pipe[0], select.EPOLLOUT)",
        "libc.inotify_add_watch(watch, b'/usr/lib', 0x20)",
        "libc.timerfd_settime(timer, 0, struct.pack('4q', 77, 0, 77, 0), None)",
        "libc.signalfd(signals, (ctypes.c_ulong * 16)(8), 0)",
    ],
)
def test_what_a_packages_counters_timers_and_sets_hold_is_compared(tmp_path: Path, harm: str) -> None:
    program = f"""
    import ctypes, select, struct
    libc = ctypes.CDLL(None)
    counter, pipe, polled = os.eventfd(1), os.pipe(), select.epoll()
    polled.register(pipe[0])
    watch, timer = libc.inotify_init1(0), libc.timerfd_create(1, 0)
    signals = libc.signalfd(-1, (ctypes.c_ulong * 16)(4), 0)
    baseline = Baseline(folder)
    assert baseline.find_change() == ""
    {harm}
    """
    assert change_after(program, tmp_path) == "an open pipe or socket"


def test_the_priority_of_input_and_output_is_compared(tmp_path: Path) -> None:
    program = """
    from sandbox.guest import baseline as module
    number = module._IOPRIO_NUMBERS[module.platform.machine()][0]
    assert module._libc.syscall(number, 1, 0, (3 << 13)) == 0
    """
    assert change_after(program, tmp_path) == "the input and output priority"


def test_wiping_takes_the_folders_times_back(tmp_path: Path) -> None:
    os.utime(tmp_path, ns=(123_456_789, 987_654_321))
    assert wipe(str(tmp_path))
    facts = tmp_path.stat()
    assert facts.st_mtime_ns != 987_654_321
    assert facts.st_atime_ns != 123_456_789


def test_what_a_filter_lets_nobody_set_is_not_looked_at(tmp_path: Path) -> None:
    """An engine's filter refuses a process by its number; the kernel alone would let it keep what it has."""
    program = """
    from sandbox.guest import baseline as module
    def refuse(*_): raise PermissionError("by a filter")
    os.setpriority = os.sched_setaffinity = refuse
    names = set(module.Baseline(folder)._looks)
    assert names & {"the priority", "the processors", "the scheduling policy"} == {"the scheduling policy"}, names
    """
    assert change_after(program, tmp_path) == ""
