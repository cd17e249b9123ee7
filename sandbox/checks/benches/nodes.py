"""Measures the driver's cost of many nodes: ``scripts/bench nodes``.

The nodes are simulated in this process and answer at once. So neither Ray nor boxes are measured, only the driver's
work for each call, and its work each second to watch its nodes.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.benches.calls import EQUAL
from sandbox.checks.samples import TASK
from sandbox.cluster.link import NodeFacts, NodeReport, Row
from sandbox.cluster.node import own_version
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

_COUNTS = (1, 100)
_CALL_MS = 1.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = bench_parser("nodes", __doc__)
    parser.add_argument("--calls", type=int, default=40_000)
    parser.add_argument("--idle-seconds", type=float, default=5.0)
    run_bench(parser, lambda options: asyncio.run(measure(options.calls, options.idle_seconds)), arguments, digits=2)


async def measure(calls: int, idle_seconds: float) -> dict[str, float]:
    """CPU time by number of nodes: microseconds for each call, and milliseconds a second while idle."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        source = EQUAL.source(Path(folder))
        for count in _COUNTS:
            async with ClusterSandbox(_PlayedCluster(count), SandboxSettings()) as sandbox:
                # all nodes have joined, and the driver has measured how long calls take
                await _judge(sandbox, source, 20 * count)
                began = time.process_time()
                await _judge(sandbox, source, calls)
                figures[f"nodes_{count}_driver_us_per_call"] = (time.process_time() - began) / calls * 1e6
                began = time.process_time()
                await asyncio.sleep(idle_seconds)
                figures[f"nodes_{count}_idle_ms_per_second"] = (time.process_time() - began) / idle_seconds * 1e3
    figures["load_average"] = os.getloadavg()[0]
    return figures


async def _judge(sandbox: ClusterSandbox, source: Source, count: int) -> None:
    calls = [Call(str(number), TASK, response="2") for number in range(count)]
    judged = [one.id async for one in sandbox.judge(source, calls, isolation=Isolation.BATCH)]
    assert sorted(judged) == sorted(call.id for call in calls)


class _PlayedLink:
    """A node that judges every call right, one turn of the event loop later."""

    async def ask(self, method: str, *_: Any) -> Any:
        return {"hello": NodeFacts(own_version(), os.getpid(), 2), "report": NodeReport()}.get(method)

    async def send(self, source: Source) -> None:
        """Nothing to send: it has every release."""

    async def judge(self, digest: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[list[Row]]:
        del digest, isolation
        await asyncio.sleep(0)
        yield [(number, {"correct": 1.0}, {}, None, _CALL_MS) for number in range(len(calls))]

    async def end(self) -> None:
        """Nothing runs."""

    async def kill(self) -> None:
        """Nothing runs."""


class _PlayedCluster:
    none_found = ""

    def __init__(self, count: int) -> None:
        self._names = {f"n{number}": f"node-{number}" for number in range(count)}

    async def found(self) -> Mapping[str, str]:
        return self._names

    async def open(self, _: str) -> _PlayedLink:
        return _PlayedLink()

    async def aclose(self) -> None:
        """Nothing was joined."""


if __name__ == "__main__":
    main()
