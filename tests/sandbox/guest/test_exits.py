"""Calls on a kernel that does not tell when a process ends (gVisor of 2022): no reply is lost, no clock is late."""

import errno
import os
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.guest import exits
from sandbox.guest.exits import ExitWatch
from sandbox.interface import Call
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind
from tests.making.altered_library import alter_library
from tests.sandbox.guest.forked import fork, in_child

# A package is imported in the zygote itself, so that what it does to `os` there is what the zygote finds.
WITHOUT = Sample(
    """
    import errno, os, time

    def pidfd_open(pid, flags=0):
        raise OSError(errno.ENOSYS, "Function not implemented")

    os.pidfd_open = pidfd_open

    def verify(task, response):
        if response == "daemon":
            if os.fork() == 0:
                time.sleep(60)
        else:
            time.sleep(float(response))
        return {"correct": 1.0}
    """,
    name="without",
    timeout_seconds=30.0,
)


@pytest.mark.parametrize("level", [Isolation.CALL, Isolation.BATCH])
def test_no_reply_is_lost_however_close_the_end_comes_to_a_look(
    any_sandbox: BlockingSandbox, tmp_path: Path, level: Isolation
) -> None:
    calls = [Call(str(number), TASK, response=f"{0.018 + 0.0001 * (number % 40)}") for number in range(80)]
    verdicts = dict(any_sandbox.score(WITHOUT.source(tmp_path), calls, isolation=level))
    assert [verdict.error for verdict in verdicts.values()] == [None] * len(calls)


def test_a_call_that_hangs_and_one_that_leaves_a_daemon_end_as_elsewhere(
    any_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    hanging = replace(WITHOUT, name="hanging", timeout_seconds=1.0).source(tmp_path)
    [(_, late)] = any_sandbox.score(hanging, [Call("1", TASK, response="60")])
    assert late.error is not None
    assert late.error.kind is ErrorKind.TIMEOUT
    [(_, left)] = any_sandbox.score(WITHOUT.source(tmp_path), [Call("1", TASK, response="daemon")])
    assert left.rewards == {"correct": 1.0}


def _refuse(number: int) -> None:
    raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EPERM, errno.ENOMEM, errno.ENFILE])
def test_whatever_the_kernel_refuses_an_end_is_seen(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A program is not wrong because a machine has no descriptor left to watch it by."""
    alter_library(monkeypatch, exits, "os", pidfd_open=lambda *_: _refuse(number))
    told, tell = os.pipe()
    if (pid := fork()) == 0:
        os.close(tell)
        os.read(told, 1)
        os._exit(7)
    watch = ExitWatch(pid)
    assert watch.descriptor is None
    assert not watch.wait(0)
    assert not watch.has_ended()
    os.write(tell, b"x")
    assert watch.wait(60)
    assert watch.has_ended(), "it stays to be reaped"
    watch.close()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    os.close(told)
    os.close(tell)


def test_a_process_that_may_open_nothing_more_watches_too() -> None:
    def body() -> bool:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        return ExitWatch(pid).wait(60)

    assert in_child(body)


def test_nobody_is_watched_who_is_not_there() -> None:
    with pytest.raises(ProcessLookupError):
        ExitWatch((1 << 22) + 1)
