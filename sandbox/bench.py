"""What a verdict costs here, beside floors that were measured in the same run: ``scripts/bench sandbox``."""

import argparse
import asyncio
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sandbox.backends import make_backend
from sandbox.backends.docker import DockerBackend
from sandbox.errors import SandboxError
from sandbox.guest import frames
from sandbox.interface import BoxRole, BoxSpec, Call, Policy, Source
from sandbox.running import Sandbox
from sandbox.samples import TASK, Sample
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

EQUAL = Sample(
    "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n",
    name="bench",
    isolation="worker",
)
_ROOT = str(Path(__file__).resolve().parents[1])
_ROUNDS = 3
_LEVELS = ((Isolation.WORKER, 40_000), (Isolation.BATCH, 6_000), (Isolation.CALL, 500))
_NAMES = {Isolation.WORKER: "worker", Isolation.BATCH: "batch32", Isolation.CALL: "call"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = argparse.ArgumentParser(prog="scripts/bench sandbox", description=__doc__)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    parser.add_argument("--backend", default="docker", choices=("docker", "local"))
    parser.add_argument("--beside", metavar="RUNTIME", help="measure boxes on this engine runtime too, as runsc_…")
    options = parser.parse_args(arguments)
    try:
        figures = asyncio.run(_measure(options.backend))
        if options.beside:
            figures.update(asyncio.run(_measure_beside(options.beside)))
    except SandboxError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(8)
    if options.format == "json":
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, value in figures.items():
            sys.stdout.write(f"{name:36} {value:>14,.3f}\n")


async def _measure(backend_name: str) -> dict[str, float]:
    settings = SandboxSettings(trust_local_code=backend_name == "local", replay_fraction=0.0)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        backend = make_backend(backend_name, settings)
        async with Sandbox(backend, settings) as sandbox:
            source = EQUAL.source(Path(folder))
            await sandbox.image_digest(source)
            figures.update(await _cold(sandbox, Path(folder)))
            await sandbox.warm(source, settings.boxes_per_package)
            figures.update(await _throughput(sandbox, source))
            figures.update(await _latency(sandbox, source))
            if isinstance(backend, DockerBackend):
                figures.update(await asyncio.to_thread(_docker_floors, backend))
    figures.update(_floors())
    figures["worker_to_socket_echo_ratio"] = (
        figures["worker_calls_per_second"] / figures["socket_echo_calls_per_second"]
    )
    figures["call_to_guarded_fork_ratio"] = figures["call_calls_per_second"] / figures["guarded_forks_per_second"]
    if "create_start_seconds" in figures:
        figures["cold_to_create_start_ratio"] = figures["cold_box_seconds"] / figures["create_start_seconds"]
    figures["load_average"] = os.getloadavg()[0]
    return figures


async def _measure_beside(runtime: str) -> dict[str, float]:
    """Throughput, latency and a cold start on another runtime of the same engine."""
    settings = SandboxSettings(runtime=runtime, replay_fraction=0.0)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        async with Sandbox(make_backend("docker", settings), settings) as sandbox:
            source = EQUAL.source(Path(folder))
            figures.update(await _cold(sandbox, Path(folder)))
            await sandbox.warm(source, settings.boxes_per_package)
            figures.update(await _throughput(sandbox, source))
            figures.update(await _latency(sandbox, source))
    return {f"{runtime}_{name}": value for name, value in figures.items()}


# -- the sandbox -----------------------------------------------------------------------------------------------------


async def _throughput(sandbox: Sandbox, source: Source) -> dict[str, float]:
    """The best of a few rounds of pipelined calls at each level, as a trainer sees them."""
    figures = {}
    for level, count in _LEVELS:
        calls = [Call(str(number), TASK, response=str(number % 3)) for number in range(count)]
        rates = []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            judged = 0
            async for _ in sandbox.judge(source, calls, isolation=level):
                judged += 1
            assert judged == count
            rates.append(count / (time.perf_counter() - started))
        figures[f"{_NAMES[level]}_calls_per_second"] = max(rates)
    return figures


async def _latency(sandbox: Sandbox, source: Source) -> dict[str, float]:
    """One call at a time."""
    figures = {}
    for level, count in ((Isolation.WORKER, 400), (Isolation.BATCH, 200), (Isolation.CALL, 100)):
        times = sorted([await _seconds(partial(_judge_one, sandbox, source, level)) for _ in range(count)])
        name = _NAMES[level].removesuffix("32")
        figures[f"{name}_round_trip_p50_us"] = statistics.median(times) * 1e6
        figures[f"{name}_round_trip_p99_us"] = times[int(count * 0.99)] * 1e6
    return figures


async def _cold(sandbox: Sandbox, folder: Path) -> dict[str, float]:
    """A release that this engine has never seen, to its first verdict; then one more box of it."""
    stamp = time.time_ns()
    source = Sample(f"{EQUAL.code}\nSTAMP = {stamp}\n", name="cold").source(folder)
    first = await _seconds(lambda: _judge_one(sandbox, source, Isolation.CALL))
    again = [await _seconds(lambda: _judge_one(sandbox, source, Isolation.BOX)) for _ in range(5)]
    return {"cold_first_verdict_seconds": first, "cold_box_seconds": statistics.median(again)}


async def _judge_one(sandbox: Sandbox, source: Source, level: Isolation) -> None:
    async for one in sandbox.judge(source, [Call("1", TASK, response="2")], isolation=level):
        assert one.verdict.rewards == {"correct": 1.0}, one.verdict


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


# -- floors ----------------------------------------------------------------------------------------------------------

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


def _floors() -> dict[str, float]:
    """What this machine does without a sandbox: an echo over a socket, a guarded fork, a process a call."""
    return {
        "socket_echo_calls_per_second": max(_socket_echo() for _ in range(_ROUNDS)),
        "guarded_forks_per_second": max(_guarded_forks() for _ in range(_ROUNDS)),
        "subprocess_a_call_seconds": statistics.median(_subprocess_seconds() for _ in range(5)),
    }


def _socket_echo(groups: int = 80, size: int = 256) -> float:
    """Calls a second through one socket and two plain processes: JSON out, compare, JSON back, no guard at all."""
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


def _guarded_forks(count: int = 150) -> float:
    """Forks a second with what a call's child gets besides its call: a socket, a group, a CPU limit, a wait, a wipe."""
    script = """
import gc, os, resource, select, socket, sys, time
count = int(sys.argv[1])
os.chdir(sys.argv[2])
sys.path.insert(0, sys.argv[3])
import sandbox.guest.zygote  # as large as a box's own zygote, so that a fork copies as much
gc.collect()
gc.freeze()
started = time.perf_counter()
for _ in range(count):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        os.dup2(0, 2)
        theirs.send(b"R")
        os._exit(0)
    theirs.close()
    os.setpgid(pid, pid)
    resource.prlimit(pid, resource.RLIMIT_CPU, (6, 6))
    descriptor = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(ours); poll.register(descriptor, select.POLLIN)
    poll.poll(1000)
    ours.recv(65536)
    os.wait4(pid, 0)
    os.close(descriptor); ours.close()
    os.listdir(".")
print(count / (time.perf_counter() - started))
"""
    workers = max(1, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-S", "-c", script, str(count), folder, _ROOT]
        running = [
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            for _ in range(workers)
        ]
        return sum(float(process.communicate(timeout=60)[0]) for process in running)


def _subprocess_seconds() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return time.perf_counter() - started


def _docker_floors(backend: DockerBackend) -> dict[str, float]:
    """Blocking: create and start of such a container with nothing in it; ``docker exec`` a call, which we never do."""
    api: Any = backend.engine.api  # partly untyped in docker-py
    image = next(iter(backend._images.values())).image_id  # noqa: SLF001 -- the same image as the boxes measured
    spec = BoxSpec(BoxRole.SOLUTION, Policy(BoxRole.SOLUTION, 256))
    host = backend._host_config(spec.policy, 65000)  # noqa: SLF001 -- the same limits as the boxes measured
    config = {
        "Image": image,
        "Cmd": ["sleep", "60"],
        "HostConfig": {**host, "AutoRemove": False},
        "User": "65000:65000",
    }
    starts, execs = [], []
    for _ in range(5):
        started = time.perf_counter()
        created = backend.engine.create(config)
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
        "own_max_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    main()
