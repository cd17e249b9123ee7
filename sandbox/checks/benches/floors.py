"""Measures the same work without a sandbox: lower bounds for the figures of ``scripts/bench sandbox``."""

import contextlib
import json
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from sandbox.backends.docker.attached import Attached, read_all
from sandbox.backends.docker.backend import DockerBackend
from sandbox.checks.samples import TASK
from sandbox.guest import frames
from sandbox.images import layout
from sandbox.interface import BoxResources, BoxRole, BoxSpec

_ROOT = str(Path(__file__).resolve().parents[3])
_ROUNDS = 3
_FORKS = 400


def plain_floors() -> dict[str, float]:
    """Two figures: an echo over a socket between two processes, and a new process for each call."""
    return {
        "socket_echo_calls_per_second": max(_socket_echo() for _ in range(_ROUNDS)),
        "subprocess_a_call_seconds": statistics.median(_subprocess_seconds() for _ in range(5)),
    }


def docker_floors(backend: DockerBackend, boxes: int) -> dict[str, float]:
    """Figures from containers like the measured boxes: forks with all limits, create and start, and ``docker exec`` for
    each call. Blocking.
    """
    return {**_guarded_forks(backend, boxes), **_engine_floors(backend)}


# -- without a container ---------------------------------------------------------------------------------------------

_ECHO = """
import json, socket, sys
sys.path.insert(0, sys.argv[2])
from sandbox.guest import frames
line = socket.socket(fileno=int(sys.argv[1]))
reader = frames.FrameReader()
while data := line.recv(1 << 20):
    for kind, ident, body in reader.feed(data):
        _, _, spans = frames.unpack_run(body)
        replies = []
        for start, end in spans:
            call = json.loads(body[start:end])
            correct = float(call["response"] == call["task"]["answer"])
            replies.append(json.dumps({"rewards": {"correct": correct}}).encode())
        line.sendall(frames.pack(frames.CHUNK, ident, b"\\n".join(replies)))
"""


def _socket_echo(groups: int = 80, size: int = 256) -> float:
    """Calls a second between two plain processes with one socket: JSON there, compare, JSON back, without any
    protection.
    """
    ours, theirs = socket.socketpair()
    calls = [json.dumps({"task": TASK, "response": "2"}).encode()] * size
    command = [sys.executable, "-I", "-S", "-c", _ECHO, str(theirs.fileno()), _ROOT]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process, ours:
        theirs.close()
        started = time.perf_counter()
        reader, done = frames.FrameReader(), 0
        ours.sendall(frames.pack_run(0, frames.WORKER, 1000, calls))
        for number in range(1, groups + 1):
            if number < groups:
                ours.sendall(frames.pack_run(number, frames.WORKER, 1000, calls))
            while done < number:
                for _, _, body in reader.feed(ours.recv(1 << 20)):
                    assert len([json.loads(line) for line in body.split(b"\n")]) == size
                    done += 1
        rate = groups * size / (time.perf_counter() - started)
        ours.shutdown(socket.SHUT_RDWR)
        process.wait(10)
    return rate


def _subprocess_seconds() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return time.perf_counter() - started


# -- in containers ---------------------------------------------------------------------------------------------------

_GUARDED_FORKS = """
import gc, os, select, socket, sys, time
sys.path[:0] = [sys.argv[1]]
which, count = sys.argv[2], int(sys.argv[3])
from sandbox.guest import cleanup, cheap_fork, landlock, limits, zygote
from sandbox.guest.exits import ExitWatch
from sandbox.guest.line import drop_lines, line_descriptor
limits.harden_zygote()
os.chdir("/tmp")
landlock.restrict("/tmp")
limits.limit_zygote({"file_mb": 8, "open_file_count": 64, "memory_mb": 256})
cheap_fork.watch_hooks()
fork = cheap_fork.cheapest_fork() if which == "guest" else os.fork
gc.collect()
gc.freeze()

def guarded_fork():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = line_descriptor(ours.fileno())
    ours.close()
    pid = fork()
    if pid == 0:
        drop_lines(but=theirs.fileno())
        os.dup2(0, 2)
        limits.limit_cpu(5)
        os.write(theirs.fileno(), b"E")
        os._exit(0)
    theirs.close()
    watch = ExitWatch(pid)
    poll = select.poll()
    poll.register(number, select.POLLIN)
    poll.register(watch.descriptor, select.POLLIN)
    poll.poll(1000)
    os.read(number, 16)
    poll.unregister(number)
    poll.poll(1000)
    os.wait4(pid, 0)
    cleanup.kill_leftovers(pid)
    watch.close()
    os.close(number)
    assert cleanup.wipe("/tmp")

for _ in range(20):
    guarded_fork()
started = time.perf_counter()
for _ in range(count):
    guarded_fork()
print(count / (time.perf_counter() - started), flush=True)
"""


def _guarded_forks(backend: DockerBackend, boxes: int) -> dict[str, float]:
    """Forks a second with all limits and checks of a call's child, but without a call or a connection to the host.

    ``guarded_forks_per_second`` uses Python's ``os.fork`` and is a lower bound. ``guarded_own_forks_per_second`` uses
    the guest's cheaper fork, so it is a part of what is measured.
    """
    figures = {}
    for which, name in (("os", "guarded_forks_per_second"), ("guest", "guarded_own_forks_per_second")):
        command = ["python3", "-I", "-S", "-c", _GUARDED_FORKS, layout.GUEST_ROOT, which, str(_FORKS)]
        figures[name] = max(sum(map(float, _run_together(backend, command, boxes))) for _ in range(_ROUNDS))
    return figures


def _run_together(backend: DockerBackend, command: list[str], count: int) -> list[bytes]:
    """The outputs of ``count`` containers that run ``command`` at the same time, with a box's limits."""
    with contextlib.ExitStack() as stack:
        running: list[Attached] = []
        for number in range(count):
            created = backend.engine.create(_config(backend, command, 65000 + number))
            stack.callback(backend.engine.remove_container, created)
            running.append(backend.engine.attach(created, stdin=False))
            backend.engine.api.start(created)
        outputs = []
        for attached in running:
            output, words = read_all(attached.raw, time.monotonic() + 60)
            attached.close()
            assert output, words.decode(errors="replace")
            outputs.append(output)
        return outputs


def _config(backend: DockerBackend, command: list[str], uid: int) -> dict[str, Any]:
    image = next(iter(backend._images.values())).image_id  # noqa: SLF001 -- the same image as the boxes measured
    spec = BoxSpec(BoxRole.SOLUTION, BoxResources(BoxRole.SOLUTION, 256))
    box = backend._config(spec, image, uid, {})  # noqa: SLF001 -- the same limits as the boxes measured
    return {
        "Image": image,
        "Cmd": command,
        "HostConfig": {**box["HostConfig"], "AutoRemove": False},
        "User": box["User"],
        "AttachStdout": True,
        "AttachStderr": True,
    }


def _engine_floors(backend: DockerBackend) -> dict[str, float]:
    """Create and start of an empty container; and ``docker exec`` for each call, which Verihub never does."""
    api: Any = backend.engine.api  # partly untyped in docker-py
    starts, execs = [], []
    for _ in range(5):
        started = time.perf_counter()
        created = backend.engine.create(_config(backend, ["sleep", "60"], 65000))
        api.start(created)
        starts.append(time.perf_counter() - started)
        try:
            started = time.perf_counter()
            ready = api.exec_create(created, ["python3", "-I", "-S", "-c", "pass"])
            api.exec_start(ready)
            execs.append(time.perf_counter() - started)
        finally:
            backend.engine.remove_container(created)
    return {
        "create_start_seconds": statistics.median(starts),
        "docker_exec_a_call_seconds": statistics.median(execs),
    }
