"""Measures the latency of calls that come one by one, in boxes and in plain forking processes at the same rate.

The plain processes are the lower bound. There are two, each with a pipe, and each forks once for all calls that came
while both were busy. They have no isolation, limits or clocks.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Self

from sandbox.interface import Source
from sandbox.service import SandboxService
from schemas.manifest import Isolation
from schemas.verdict import ScoreRequest

Requests = Callable[[int], AsyncIterator[ScoreRequest]]
"""Makes so many requests, which come one by one."""
Judge = Callable[[AsyncIterator[ScoreRequest]], AsyncGenerator[str]]
"""Yields the ids of requests as they are judged."""
_ALONE = 50
_ROUNDS = 3
_PROCESSES = 2
_TOGETHER = 32


async def measure_singly(
    service: SandboxService[Source], source: Source, requests: Requests, count: int, rate: float
) -> dict[str, float]:
    """Milliseconds from request to verdict at level ``batch``: for a single one, and for ``count`` at ``rate`` a
    second.

    The best of a few rounds, in which boxes and plain processes alternate.
    """

    async def by_boxes(arriving: AsyncIterator[ScoreRequest]) -> AsyncGenerator[str]:
        async with aclosing(service.score_stream(source, arriving, Isolation.BATCH)) as judged:
            async for ident, _ in judged:
                yield ident

    figures: dict[str, float] = {}
    async with _PlainProcesses() as plain:
        ways: dict[str, Judge] = {"": by_boxes, "plain_": plain.judge}
        for _ in range(_ROUNDS):
            for prefix, judge in ways.items():
                alone = [(await _waits(judge, requests, 1, rate))[0] for _ in range(min(_ALONE, count))]
                cpu = time.process_time()
                waits = sorted(await _waits(judge, requests, count, rate))
                found = {
                    "alone_batch_p50_ms": statistics.median(alone),
                    "singly_at_half_rate_batch_p50_ms": statistics.median(waits),
                    "singly_at_half_rate_batch_p99_ms": waits[int(len(waits) * 0.99)],
                    "singly_host_cpu_us_per_verdict": (time.process_time() - cpu) / count * 1e6,
                }
                for name, value in found.items():
                    figures[prefix + name] = min(value, figures.get(prefix + name, value))
    for prefix in ways:
        singly, alone_ms = (
            figures[f"{prefix}{name}"] for name in ("singly_at_half_rate_batch_p50_ms", "alone_batch_p50_ms")
        )
        figures[f"{prefix}singly_to_alone_ratio"] = singly / alone_ms
    return figures


async def _waits(judge: Judge, requests: Requests, count: int, rate: float) -> list[float]:
    sent: dict[str, float] = {}

    async def paced() -> AsyncIterator[ScoreRequest]:
        began = time.perf_counter()
        async for request in requests(count):
            await asyncio.sleep(max(0.0, began + len(sent) / rate - time.perf_counter()))
            sent[request.id] = time.perf_counter()
            yield request

    return [(time.perf_counter() - sent[ident]) * 1000 async for ident in judge(paced())]


_FORKING = """
import json, os, sys
for line in sys.stdin.buffer:
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        calls = json.loads(line)
        os.write(tell, json.dumps([float(c["response"].endswith(c["task"]["answer"])) for c in calls]).encode())
        os._exit(0)
    os.close(tell)
    judged = os.read(told, 65536)
    os.close(told)
    os.waitpid(pid, 0)
    os.write(1, judged + b"\\n")
"""


class _PlainProcesses:
    """Processes that fork once for all calls that they get together."""

    async def __aenter__(self) -> Self:
        command = (sys.executable, "-I", "-S", "-c", _FORKING)
        self._processes = [
            await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 20
            )
            for _ in range(_PROCESSES)
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            await process.wait()

    async def judge(self, arriving: AsyncIterator[ScoreRequest]) -> AsyncGenerator[str]:
        """An idle process takes the calls that wait, at most as many as a box takes at a time."""
        queue: asyncio.Queue[ScoreRequest | None] = asyncio.Queue()
        judged: asyncio.Queue[list[str]] = asyncio.Queue()

        async def feed() -> None:
            async for request in arriving:
                queue.put_nowait(request)
            queue.put_nowait(None)

        async def serve(process: asyncio.subprocess.Process) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            while calls := await _together(queue):
                rows = [{"task": call.task, "response": call.response} for call in calls]
                process.stdin.write(json.dumps(rows).encode() + b"\n")
                rewards = json.loads(await process.stdout.readline())
                assert len(rewards) == len(calls)
                judged.put_nowait([call.id for call in calls])

        async def work() -> None:
            await asyncio.gather(feed(), *map(serve, self._processes))
            judged.put_nowait([])

        working = asyncio.create_task(work())
        while idents := await judged.get():
            for ident in idents:
                yield ident
        await working


async def _together(queue: "asyncio.Queue[ScoreRequest | None]") -> list[ScoreRequest]:
    """Wait for a request, then take all that are there. None is the end and stays in the queue for the other
    processes.
    """
    taken: list[ScoreRequest] = []
    while len(taken) < _TOGETHER and not (taken and queue.empty()):
        one = await queue.get()
        if one is None:
            queue.put_nowait(None)
            break
        taken.append(one)
    return taken
