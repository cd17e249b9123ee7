"""Measures an audit with 1,000 cases of a cheap verifier in warm boxes: ``python -m sandbox.checks.benches.audit``."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandbox.audit.runner import run_audit
from sandbox.backends import make_backend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.checks.samples import Sample
from sandbox.interface import Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import Isolation

_CODE = """
import re

def verify(task, response):
    numbers = re.findall(r"-?[0-9]+", response)
    return {"correct": float(bool(numbers) and numbers[-1] == str(task["answer"]))}
"""
_TASK_COUNT = 500
_ROUNDS = 3


def measure(isolation: Isolation, backend: str) -> dict[str, float]:
    """Seconds for 1,000 cases: the best and the median of three audits, after one as warm-up."""
    return asyncio.run(_measure(isolation, backend))


async def _measure(isolation: Isolation, backend: str) -> dict[str, float]:
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": f"{n} * 7?", "answer": n * 7} for n in range(_TASK_COUNT)}
    cases = _cases(tasks)
    settings = SandboxSettings(trust_local_code=backend == "local")
    with tempfile.TemporaryDirectory() as folder:
        source = Sample(_CODE, name="bench").source(Path(folder))
        async with Sandbox(make_backend(backend, settings), settings) as sandbox:
            started = time.perf_counter()
            await sandbox.warm(source, settings.boxes_per_package)
            warm_seconds = time.perf_counter() - started
            rounds = [await _audit(sandbox, source, cases, tasks, isolation) for _ in range(_ROUNDS + 1)][1:]
    seconds, host = sorted(taken for taken, _, _ in rounds), sorted(spent for _, spent, _ in rounds)
    report = rounds[-1][2]
    return {
        "cases": len(cases),
        "wrong_verdicts": report.overall.fp + report.overall.fn + report.overall.unscored,
        "warm_seconds": round(warm_seconds, 3),
        "best_seconds": round(seconds[0], 3),
        "median_seconds": round(seconds[len(seconds) // 2], 3),
        "host_cpu_seconds": round(host[len(host) // 2], 3),
        "cases_per_second": round(len(cases) / seconds[len(seconds) // 2]),
        "call_p50_ms": round(report.latency_ms.p50 or 0.0, 3),
        "call_p99_ms": round(report.latency_ms.p99 or 0.0, 3),
    }


async def _audit(
    sandbox: Sandbox, source: Source, cases: list[AuditCase], tasks: dict[str, dict[str, Any]], isolation: Isolation
) -> tuple[float, float, AuditReport]:
    """Seconds, CPU seconds of this process (which other load hardly changes), and the report."""
    started, busy = time.perf_counter(), time.process_time()
    report = await run_audit(
        sandbox, source, cases, tasks=tasks, subject="sample/bench@1.0.0", probes=False, isolation=isolation
    )
    return time.perf_counter() - started, time.process_time() - busy, report


def _cases(tasks: dict[str, dict[str, Any]]) -> list[AuditCase]:
    right = [
        AuditCase(id=f"r-{name}", task_id=name, response=f"It is {task['answer']}", label=Label.CORRECT)
        for name, task in tasks.items()
    ]
    wrong = [
        AuditCase(id=f"w-{name}", task_id=name, response=f"It is {task['answer'] + 1}", label=Label.INCORRECT)
        for name, task in tasks.items()
    ]
    return right + wrong


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("audit", __doc__, backends=True)
    parser.add_argument("--isolation", choices=[str(level) for level in Isolation], default="call")
    run_bench(parser, lambda options: measure(Isolation(options.isolation), options.backend), arguments)


if __name__ == "__main__":
    main()
