"""A forked child of the test process: for what a guest does to a process for good, such as limits, fences and signals."""

import fcntl
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE_SECONDS = 120
INTERPRETER_SECONDS = 600  # what runs there may judge thousands of calls, on a machine with other things to do
ROOT = Path(__file__).parents[3]


def fork() -> int:
    """``os.fork``; newer Pythons warn where a thread of another test still lives.

    The child collects no garbage: a guest closes descriptors by number and opens its own under the same numbers, and a
    forgotten socket of another test, collected there, would close the guest's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        gc.disable()
    return pid


def ending_of(body: Callable[[], object]) -> int:
    """How a child that runs ``body`` ends: its exit status (0 when ``body`` returns), or minus a signal's number."""
    pid = fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE_SECONDS)
            body()
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def in_child(body: Callable[[], Any]) -> Any:
    """What ``body`` returns, plain and small, when it is run in a child. An exception in it fails the test."""
    ours, low = os.pipe()
    theirs = fcntl.fcntl(low, fcntl.F_DUPFD, 900)  # out of the way of what a guest closes
    os.close(low)

    def reply() -> None:
        try:
            said = {"value": body()}
        except BaseException:  # noqa: BLE001 -- it is told to the parent
            said = {"failed": traceback.format_exc()[-4000:]}
        os.write(theirs, json.dumps(said).encode())

    status = ending_of(reply)
    os.close(theirs)
    data = os.read(ours, 1 << 16)
    os.close(ours)
    assert data, f"the child ended with {status}"
    said = json.loads(data)
    assert "failed" not in said, said["failed"]
    return said["value"]


def in_interpreter(function: Callable[..., Any], *given: Any) -> Any:
    """What a function of a module returns in an interpreter of its own; arguments and result as JSON.

    For what counts on descriptors' numbers and forks: at each fork libuv (uvloop, which a hub of another test may have
    used) closes two descriptors by the numbers that they had once, whatever has these numbers by now.
    """
    code = f"import json, sys; from {function.__module__} import {function.__name__} as asked; "
    code += "print(json.dumps(asked(*json.loads(sys.argv[1]))))"
    command = [sys.executable, "-c", code, json.dumps(given)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=INTERPRETER_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Served:
    """A child that serves one end of a socket, as children of a zygote do; the test has the other end."""

    def __init__(self, main: Callable[[socket.socket], object]) -> None:
        self.sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(PATIENCE_SECONDS)
        self.pid = fork()
        if self.pid == 0:
            try:
                self.sock.close()
                os.setpgid(0, 0)
                main(theirs)
                os._exit(0)
            finally:
                traceback.print_exc()
                os._exit(70)
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.sock.close()
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def wait(self) -> int:
        """Its exit status, or minus a signal's number."""
        pid, self.pid = self.pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
