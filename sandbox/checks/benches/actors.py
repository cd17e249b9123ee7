"""Measures one driver with a hundred real Ray actors, and where its time goes: ``scripts/bench actors``.

The actors are processes on this machine that answer at once, without boxes. So the driver is measured: its own code,
Ray's code in its process, and the messages.
"""

import asyncio
import cProfile
import os
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

import ray

from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.benches.calls import EQUAL
from sandbox.checks.samples import TASK
from sandbox.cluster.link import NodeFacts, NodeLink, NodeReport, pack_rows
from sandbox.cluster.links.ray import RayCluster, RayLink
from sandbox.cluster.node import Answer, own_version
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import ClusterSettings, RaySettings
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

_CALL_MS = 1.0
_JOIN_SECONDS = 900.0
_STARTED_TOGETHER = 4
"""How many actors are started at the same time: each imports Ray, which takes a second of CPU time."""
_STORE_BYTES = 100 << 20


class TinyNode:
    """A node's actor that judges every call right."""

    async def ask(self, method: str, *_: Any) -> Answer:
        """Answer a request of the driver."""
        known = {"hello": NodeFacts(own_version(), os.getpid(), 2), "report": NodeReport(), "missing": []}
        return known.get(method), None

    async def judge(self, digest: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[bytes]:
        """All calls in one message."""
        del digest, isolation
        yield pack_rows([(number, {"correct": 1.0}, {}, None, _CALL_MS) for number in range(len(calls))])


class _Actors(RayCluster):
    """Many actors on one machine, each in the place of a node."""

    def __init__(self, count: int) -> None:
        super().__init__(SandboxSettings(), RaySettings(address="local"))
        self._names = {f"n{number}": f"actor-{number}" for number in range(count)}
        self._starting = asyncio.Semaphore(_STARTED_TOGETHER)

    async def found(self) -> Mapping[str, str]:
        return self._names

    async def open(self, node_id: str) -> NodeLink:
        del node_id
        async with self._starting:
            link = RayLink(ray.remote(TinyNode).options(num_cpus=0, max_concurrency=1000).remote(), self._stored)
            await link.ask("hello")
        return link


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = bench_parser("actors", __doc__)
    parser.add_argument("--actors", type=int, default=100)
    parser.add_argument("--calls", type=int, default=40_000)
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    run_bench(
        parser,
        lambda options: asyncio.run(measure(options.actors, options.calls, options.idle_seconds)),
        arguments,
        digits=2,
    )


async def measure(actors: int, calls: int, idle_seconds: float) -> dict[str, float]:
    """The driver's CPU time: microseconds for each call, milliseconds a second while idle, and the share of each
    package in a profile; also megabytes for each actor.
    """
    ray.init(num_cpus=0, include_dashboard=False, object_store_memory=_STORE_BYTES, log_to_driver=False)
    settings = ClusterSettings(join_seconds=_JOIN_SECONDS, silence_seconds=_JOIN_SECONDS)
    figures: dict[str, float] = {"actors": actors}
    try:
        with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
            source, began = EQUAL.source(Path(folder)), time.perf_counter()
            async with ClusterSandbox(_Actors(actors), SandboxSettings(), settings) as sandbox:
                await sandbox.check()
                figures["started_seconds"] = time.perf_counter() - began
                assert len(sandbox.nodes.alive) == actors
                figures["actor_mb"] = sum(_own_mb(node.facts.pid) for node in sandbox.nodes.alive) / actors
                figures |= await _driver(sandbox, source, actors, calls, idle_seconds)
    finally:
        ray.shutdown()
    return {**figures, "load_average": os.getloadavg()[0]}


async def _driver(
    sandbox: ClusterSandbox, source: Source, actors: int, calls: int, idle_seconds: float
) -> dict[str, float]:
    await _judge(sandbox, source, 20 * actors)  # by now the driver has measured how long calls take
    began, at = time.process_time(), time.perf_counter()
    await _judge(sandbox, source, calls)
    figures = {
        "driver_us_per_call": (time.process_time() - began) / calls * 1e6,
        "calls_per_second": calls / (time.perf_counter() - at),
    }
    began = time.process_time()
    await asyncio.sleep(idle_seconds)
    figures["idle_ms_per_second"] = (time.process_time() - began) / idle_seconds * 1e3
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    await _judge(sandbox, source, calls)
    profile.disable()
    return figures | {f"profile_{name}_share": share for name, share in shares(profile).items()}


async def _judge(sandbox: ClusterSandbox, source: Source, count: int) -> None:
    calls = [Call(str(number), TASK, response="2") for number in range(count)]
    judged = [one.id async for one in sandbox.judge(source, calls, isolation=Isolation.BATCH)]
    assert sorted(judged) == sorted(call.id for call in calls)


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The share of a profile's time in each package's own functions. C functions count as ``builtins``."""
    seconds: dict[str, float] = defaultdict(float)
    table: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (path, _, _), (_, _, own, _, _) in table.items():
        seconds[_package_of(path)] += own
    total = sum(seconds.values()) or 1.0
    return {name: spent / total for name, spent in sorted(seconds.items())}


def _package_of(path: str) -> str:
    for name in ("sandbox", "ray", "asyncio", "schemas"):
        if f"/{name}/" in path:
            return name
    return "builtins" if path == "~" else "other"


def _own_mb(pid: int) -> float:
    """A process's proportional share of memory."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
