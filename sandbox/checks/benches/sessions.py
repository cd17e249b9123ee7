"""Measures live sessions: branch and undo with 50 MB, and a thousand sessions at a time: ``scripts/bench sessions``."""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sandbox.backends import make_backend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings

_HEAD = 'verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }'
_FILES = {"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'}
_CODE = """
    import os

    class Session:
        def reset(self, task, seed):
            self.values = [seed]
            self.block = bytearray(os.urandom(1 << 20) * BLOCK_MB)
            self.objects = [[number, str(number)] for number in range(OBJECTS)]
            return {"messages": [], "tools": []}

        def step(self, message):
            self.values.append(message["content"])
            for number in range(0, len(self.block), max(1, len(self.block) // 16)):
                self.block[number] ^= 1
            return {"messages": [{"role": "user", "content": str(len(self.values))}], "done": False}

        def state(self):
            return {"steps": len(self.values) - 1}

    def verify(task, state):
        return {"correct": 1.0}
"""
_ROUNDS = 60
_DYING_SECONDS = 0.005  # the process of the closed branch ends meanwhile
Result = TypeVar("Result")
MESSAGE: dict[str, Any] = {"role": "assistant", "content": "x"}


def sample(name: str, block_mb: int, objects: int) -> Sample:
    """A session that holds ``block_mb`` of bytes and ``objects`` Python lists of its own (about 200 bytes each)."""
    code = f"BLOCK_MB, OBJECTS = {block_mb}, {objects}\n"
    return Sample(code + _dedented(_CODE), name=name, kind="environment", head=_HEAD, files=_FILES)


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in text.splitlines())


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("sessions", __doc__)
    parser.add_argument("--sessions", type=int, default=1000)
    run_bench(parser, lambda options: asyncio.run(_measure(options.sessions)), arguments)


async def _measure(count: int) -> dict[str, float]:
    settings = SandboxSettings()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        async with Sandbox(make_backend("docker", settings), settings) as sandbox:
            figures.update(await large_sessions(sandbox, sample("large", 50, 0).source(Path(folder)), "50mb"))
            objects = sample("objects", 0, 240_000).source(Path(folder))
            figures.update(await large_sessions(sandbox, objects, "50mb_of_objects"))
            figures.update(await many_sessions(sandbox, sample("many", 0, 0).source(Path(folder)), count))
    figures["load_average"] = os.getloadavg()[0]
    return figures


async def large_sessions(sandbox: Sandbox, source: Source, name: str, rounds: int = _ROUNDS) -> dict[str, float]:
    """Milliseconds of step, branch and undo. Each round is a step, a branch that is closed again, and an undo.

    ``…_cpu_ms`` is the median CPU time of the whole box meanwhile, which other load hardly changes.
    """
    meter = _Meter(sandbox, source)
    async with sandbox.session(source, TASK) as session:
        await session.reset()
        for _ in range(rounds):
            await meter.measure("step", session.step(MESSAGE))
            branch = await meter.measure("branch", session.branch())
            await branch.close()
            await asyncio.sleep(_DYING_SECONDS)
            await meter.measure("undo", session.undo())
    return {
        f"{what}_{name}_{quantile}_ms": value
        for what, (taken, spent) in meter.milliseconds.items()
        for quantile, value in (
            ("best", min(taken)),
            ("p50", statistics.median(taken)),
            ("p95", sorted(taken)[int(len(taken) * 0.95)]),
            ("cpu", statistics.median(spent)),
        )
    }


class _Meter:
    """Wall time of requests, and CPU time of the release's boxes."""

    def __init__(self, sandbox: Sandbox, source: Source) -> None:
        self._sandbox = sandbox
        self._package = source.manifest.id
        self.milliseconds: dict[str, tuple[list[float], list[float]]] = {}

    async def measure(self, what: str, work: Awaitable[Result]) -> Result:
        taken, spent = self.milliseconds.setdefault(what, ([], []))
        before = self._cpu_ms()
        started = time.perf_counter()
        result = await work
        taken.append((time.perf_counter() - started) * 1000)
        spent.append(self._cpu_ms() - before)
        return result

    def _cpu_ms(self) -> float:
        usages = self._sandbox.pool.live.usages()
        return 1000 * sum(usage.cpu_seconds for package, usage in usages if package == self._package)


async def many_sessions(sandbox: Sandbox, source: Source, count: int) -> dict[str, float]:
    """``count`` sessions at once: seconds to open all and to step all, and memory for each in its box's cgroup."""
    house = sandbox.sessions
    started = time.perf_counter()
    sessions = await asyncio.gather(*(house.open(source, TASK, seed) for seed in range(count)))
    await asyncio.gather(*(session.reset() for session in sessions))
    opened = time.perf_counter()
    fresh = _boxes_mb(sandbox)
    await asyncio.gather(*(session.step(MESSAGE) for session in sessions))
    stepped = time.perf_counter()
    after_step = _boxes_mb(sandbox)
    states = await asyncio.gather(*(session.state() for session in sessions))
    assert all(state == {"steps": 1} for state in states)
    boxes = sum(sandbox.pool.live.by_state().values())
    closing = time.perf_counter()
    await asyncio.gather(*(session.close() for session in sessions))
    return {
        "live_sessions": float(len(states)),
        "session_boxes": float(boxes),
        "sessions_open_seconds": opened - started,
        "sessions_step_all_seconds": stepped - opened,
        "sessions_close_seconds": time.perf_counter() - closing,
        "session_memory_mb": fresh / count,
        "session_memory_after_a_step_mb": after_step / count,
    }


def _boxes_mb(sandbox: Sandbox) -> float:
    """Megabytes of all boxes of this sandbox, including kernel memory."""
    return sum(usage.memory_bytes for _, usage in sandbox.pool.live.usages()) / 2**20


if __name__ == "__main__":
    main()
