"""Compares a sandbox over Ray with the same sandbox used directly: ``scripts/bench ray``."""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from sandbox.backends import make_backend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.links.ray import RESOURCE, RayCluster
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import RaySettings
from sandbox.interface import Call, Source
from sandbox.protocol import SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

EQUAL = Sample(
    "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n",
    name="bench",
    isolation="worker",
)
WAITING = Sample(
    "import time\n\ndef verify(task, response):\n    time.sleep(0.05)\n"
    "    return {'correct': float(response == task['answer'])}\n",
    name="waiting",
)
_RIGHT = ({"correct": 0.0}, {"correct": 0.0}, {"correct": 1.0})
"""The right verdicts of both packages on the responses 0, 1 and 2."""
_LEVELS = ((Isolation.WORKER, 20_000), (Isolation.BATCH, 6_000), (Isolation.CALL, 600))
_ROUNDS = 3
_ROUND_TRIPS = 100
_WAITING_CALLS = 240
_NODES = 3
_STORE_BYTES = 100 << 20


def main() -> None:
    """Measure and print; exit status 8 where there is no engine."""
    run_bench(bench_parser("ray", __doc__), lambda _: _figures(), None)


def _figures() -> dict[str, float]:
    with _cluster() as cluster, tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        return asyncio.run(_measure(cluster, Path(folder)))


@contextmanager
def _cluster() -> Iterator[Any]:
    """A Ray head without a sandbox, on which this program runs, and one node with a sandbox."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": _STORE_BYTES},
    )
    try:
        _add_node(cluster)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def _add_node(cluster: Any) -> None:
    cluster.add_node(num_cpus=0, resources={RESOURCE: 1}, object_store_memory=_STORE_BYTES)


async def _measure(cluster: Any, folder: Path) -> dict[str, float]:
    settings = SandboxSettings(replay_fraction=0.0)
    ray_settings = RaySettings(address=cluster.address)
    equal, waiting = EQUAL.source(folder), WAITING.source(folder)
    figures: dict[str, float] = {}
    direct = Sandbox(make_backend("docker", settings), settings)
    over_ray = ClusterSandbox(RayCluster(settings, ray_settings), settings)
    async with direct, over_ray:
        for sandbox in (direct, over_ray):
            await sandbox.warm(equal, settings.boxes_per_package)
        for level, count in _LEVELS:
            figures.update(await _compared(direct, over_ray, equal, level, count))
        figures["call_direct_round_trip_p50_ms"] = await _round_trip(direct, equal)
        figures["call_ray_round_trip_p50_ms"] = await _round_trip(over_ray, equal)
        figures["waiting_1_node_calls_per_second"] = await _rate(over_ray, waiting, Isolation.CALL, _WAITING_CALLS)
        for _ in range(_NODES - 1):
            _add_node(cluster)
        while len(over_ray.nodes.alive) < _NODES:  # noqa: ASYNC110 -- nodes are discovered, so nothing signals that one has joined
            await asyncio.sleep(0.1)
        await _rate(over_ray, waiting, Isolation.CALL, _WAITING_CALLS)
        several = await _rate(over_ray, waiting, Isolation.CALL, _WAITING_CALLS)
        figures[f"waiting_{_NODES}_nodes_calls_per_second"] = several
    figures["load_average"] = os.getloadavg()[0]
    return figures


async def _compared(
    direct: Sandbox, over_ray: ClusterSandbox, source: Source, level: Isolation, count: int
) -> dict[str, float]:
    """The best rate of each, measured alternately; and the CPU time of a call outside its box, which other load affects
    less.
    """
    rates: dict[str, list[float]] = {"direct": [], "ray": []}
    spent = {"direct": 0.0, "driver": 0.0, "node": 0.0}
    [node] = over_ray.nodes.alive
    for _ in range(_ROUNDS):
        before = time.process_time()
        rates["direct"].append(await _rate(direct, source, level, count))
        spent["direct"] += time.process_time() - before
        before, node_before = time.process_time(), _cpu_seconds(node.facts.pid)
        rates["ray"].append(await _rate(over_ray, source, level, count))
        spent["driver"] += time.process_time() - before
        spent["node"] += _cpu_seconds(node.facts.pid) - node_before
    best = {name: max(some) for name, some in rates.items()}
    return {
        f"{level}_direct_calls_per_second": best["direct"],
        f"{level}_ray_calls_per_second": best["ray"],
        f"{level}_ray_to_direct_ratio": best["ray"] / best["direct"],
        **{f"{level}_{name}_us_per_call": seconds / count / _ROUNDS * 1e6 for name, seconds in spent.items()},
    }


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far (``/proc/PID/stat``, fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _rate(sandbox: SandboxProtocol, source: Source, level: Isolation, count: int) -> float:
    calls = [Call(str(number), TASK, response=str(number % 3)) for number in range(count)]
    started = time.perf_counter()
    judged = 0
    async for one in sandbox.judge(source, calls, isolation=level):
        assert one.verdict.rewards == _RIGHT[int(one.id) % 3], one
        judged += 1
    assert judged == count
    return count / (time.perf_counter() - started)


async def _round_trip(sandbox: SandboxProtocol, source: Source) -> float:
    """Median milliseconds of one call at a time, each in a fork of its own."""
    rates = [await _rate(sandbox, source, Isolation.CALL, 1) for _ in range(_ROUND_TRIPS)]
    return 1000 / statistics.median(rates)


if __name__ == "__main__":
    main()
