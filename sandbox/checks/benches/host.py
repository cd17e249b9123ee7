"""Measures the host's CPU time for a verdict: ``scripts/bench host``.

CPU time of this process, boxes not included, on the path of a trainer: requests come one by one from an event loop, are
judged in boxes, and verdicts come back to that loop in completion order. Each task has eight responses.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from sandbox.backends import make_backend
from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.benches.singly import measure_singly
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.service import SandboxService
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ScoreRequest

ENDS_WITH = Sample(
    "def verify(task, response):\n    return {'correct': float(response.endswith(task['answer']))}\n",
    name="bench-host",
    isolation="worker",
)
_GROUP = 8
_ROUNDS = 7
_SINGLE_CALLS = 500
_QUIET = SandboxSettings(replay_fraction=0.0)
_PROMPT = "A train leaves with twelve people and picks up three at each stop. " * 4
_RESPONSE = "Let us think step by step. " * 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("host", __doc__, backends=True)
    parser.add_argument("--verdicts", type=int, default=2048)
    run_bench(parser, lambda options: measure(options.backend, options.verdicts), arguments, digits=1)


def measure(backend: str, verdicts: int) -> dict[str, float]:
    """For each level: microseconds for each verdict in the best and the median round, and verdicts a second in the
    best.
    """
    settings = SandboxSettings(trust_local_code=backend == "local", replay_fraction=0.0)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        source = ENDS_WITH.source(Path(folder))
        service = SandboxService[Source](
            lambda: Sandbox(make_backend(backend, settings), settings), lambda release: release, lambda error: error
        )
        try:
            for level in (Isolation.WORKER, Isolation.BATCH):
                figures.update(asyncio.run(_measure_level(service, source, level, verdicts)))
            rate = figures["streamed_batch_verdicts_per_second"] / 2
            figures.update(asyncio.run(measure_singly(service, source, _requests, verdicts, rate)))
        finally:
            service.close()
        figures["one_call_without_a_box_cpu_us"] = asyncio.run(_measure_one_call(source))
    figures["load_average"] = os.getloadavg()[0]
    return figures


async def _measure_level(
    service: SandboxService[Source], source: Source, level: Isolation, verdicts: int
) -> dict[str, float]:
    await _judge(service, source, level, verdicts)  # boxes open
    cpu_us, rates = [], []
    for _ in range(_ROUNDS):
        cpu, wall = time.process_time(), time.perf_counter()
        await _judge(service, source, level, verdicts)
        cpu_us.append((time.process_time() - cpu) / verdicts * 1e6)
        rates.append(verdicts / (time.perf_counter() - wall))
    return {
        f"host_cpu_us_per_verdict_{level.value}": min(cpu_us),
        f"host_cpu_us_per_verdict_{level.value}_median": statistics.median(cpu_us),
        f"streamed_{level.value}_verdicts_per_second": max(rates),
    }


async def _measure_one_call(source: Source) -> float:
    """Microseconds of one ``judge()`` with one call, including the guest, within this process: no system calls, no
    waiting.
    """
    call, best = Call("1", TASK, response="2"), float("inf")
    async with Sandbox(ScriptedBackend(lambda task: {"correct": float(bool(task))}), _QUIET) as sandbox:
        for _ in range(_ROUNDS):
            began = time.process_time()
            for _ in range(_SINGLE_CALLS):
                async for one in sandbox.judge(source, [call], isolation=Isolation.WORKER):
                    assert one.verdict.error is None
            best = min(best, (time.process_time() - began) / _SINGLE_CALLS * 1e6)
    return best


async def _judge(service: SandboxService[Source], source: Source, level: Isolation, verdicts: int) -> None:
    judged = [int(ident) async for ident, _ in service.score_stream(source, _requests(verdicts), level)]
    assert sorted(judged) == list(range(verdicts))


async def _requests(count: int) -> AsyncIterator[ScoreRequest]:
    task: dict[str, Any] = {}
    for number in range(count):
        if number % _GROUP == 0:
            task = {**TASK, "id": f"t{number}", "prompt": _PROMPT, "answer": str(number)}
        yield ScoreRequest(id=str(number), task=task, response=f"{_RESPONSE}{task['answer'] if number % 2 else 'x'}")


if __name__ == "__main__":
    main()
