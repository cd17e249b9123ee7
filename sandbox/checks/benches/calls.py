"""Measures the cost of a verdict on this machine, with lower bounds from the same run: ``scripts/bench sandbox``."""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from sandbox.backends import make_backend
from sandbox.backends.docker.backend import DockerBackend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.benches.floors import docker_floors, plain_floors
from sandbox.checks.benches.math_verify import measure_math_verify
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

EQUAL = Sample(
    "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n",
    name="bench",
    isolation="worker",
)
_RIGHT = ({"correct": 0.0}, {"correct": 0.0}, {"correct": 1.0})
"""The right verdicts on the responses 0, 1 and 2. They are checked, since the time of a wrong verdict means nothing."""
_ROUNDS = 3
_LEVELS = ((Isolation.WORKER, 40_000), (Isolation.BATCH, 6_000), (Isolation.CALL, 500))
_NAMES = {Isolation.WORKER: "worker", Isolation.BATCH: "batch32", Isolation.CALL: "call"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("sandbox", __doc__, backends=True)
    parser.add_argument("--beside", metavar="RUNTIME", help="measure boxes on this engine runtime too, as runsc_…")
    run_bench(parser, _figures, arguments)


def _figures(options: argparse.Namespace) -> dict[str, float]:
    figures = asyncio.run(_measure(options.backend))
    if options.backend == "docker":
        figures.update(_math_verify())
    if options.beside:
        figures.update(asyncio.run(_measure_beside(options.beside)))
    return figures


def _math_verify() -> dict[str, float]:
    """A real verifier in call groups of sixteen. Left out with a message if pip cannot fetch it."""
    try:
        return asyncio.run(measure_math_verify())
    except subprocess.CalledProcessError as error:
        words = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        sys.stderr.write(f"math-verify was not measured: {words}\n")
        return {}


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
                figures.update(await asyncio.to_thread(docker_floors, backend, settings.boxes_per_package))
    figures.update(plain_floors())
    figures["own_max_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["worker_to_socket_echo_ratio"] = (
        figures["worker_calls_per_second"] / figures["socket_echo_calls_per_second"]
    )
    if "create_start_seconds" in figures:
        for fork in ("guarded_fork", "guarded_own_fork"):
            figures[f"call_to_{fork}_ratio"] = figures["call_calls_per_second"] / figures[f"{fork}s_per_second"]
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
    """Calls a second at each level with many calls under way, as in a trainer: the best of a few rounds."""
    figures = {}
    for level, count in _LEVELS:
        calls = [Call(str(number), TASK, response=str(number % 3)) for number in range(count)]
        rates = []
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            judged = 0
            async for one in sandbox.judge(source, calls, isolation=level):
                assert one.verdict.rewards == _RIGHT[int(one.id) % 3], one
                judged += 1
            assert judged == count
            rates.append(count / (time.perf_counter() - started))
        figures[f"{_NAMES[level]}_calls_per_second"] = max(rates)
    return figures


async def _latency(sandbox: Sandbox, source: Source) -> dict[str, float]:
    """The time of a single call: the best of a few rounds."""
    figures = {}
    for level, count in ((Isolation.WORKER, 400), (Isolation.BATCH, 200), (Isolation.CALL, 100)):
        rounds = [
            sorted([await _seconds(partial(_judge_one, sandbox, source, level)) for _ in range(count)])
            for _ in range(_ROUNDS)
        ]
        name = _NAMES[level].removesuffix("32")
        figures[f"{name}_round_trip_p50_us"] = min(statistics.median(times) for times in rounds) * 1e6
        figures[f"{name}_round_trip_p99_us"] = min(times[int(count * 0.99)] for times in rounds) * 1e6
    return figures


async def _cold(sandbox: Sandbox, folder: Path) -> dict[str, float]:
    """The time from a release that is new to the engine to its first verdict, and of one more box."""
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


if __name__ == "__main__":
    main()
