"""Two verifiers of the collection beside a plain process pool: ``scripts/bench pool``.

The same calls, their packages' own audit cases, go through boxes and through a ``multiprocessing`` pool of as many
processes that calls the same function and keeps nothing apart. Both take turns, a round each, and every verdict must be
the same. CPU time is what both are compared by: that of this process and its boxes, and that of this process and the
pool's. It hardly depends on what else the machine does; verdicts a second do.

A third way is the floor of what a fork for each call group can cost: the same pool, whose processes fork once for as
many calls as share a fork in a box (``VERIHUB_SANDBOX_BATCH_CALLS``) and do nothing else to keep them apart.
"""

import asyncio
import gc
import importlib
import inspect
import multiprocessing
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from hub_client.packaging.pack import pack
from hub_client.releases.cache import Cache
from sandbox.backends import make_backend
from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.guest import cheap_fork
from sandbox.images.settings import ImageSettings
from sandbox.images.wheelhouse import source_of
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.wheels.wheel import read_wheel

_COLLECTION = Path(__file__).resolve().parents[1] / "collection"
_PACKAGES = ("gsm8k", "math-answer")
_PROCESSES = 2
_TIMES = 8
_ROUNDS = 3
_Rewards = list[dict[str, float | None]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; exit status 8 where there is no engine."""
    parser = bench_parser("pool", __doc__)
    run_bench(parser, lambda _: asyncio.run(_measure()), arguments, digits=2)


async def _measure() -> dict[str, float]:
    figures: dict[str, float] = {}
    settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=_PROCESSES)
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        async with Sandbox(make_backend("docker", settings), settings) as sandbox:
            for name in _PACKAGES:
                source = _source(_COLLECTION / name, Path(folder))
                found = await _measure_package(sandbox, source, _calls(source))
                figures.update({f"{name.replace('-', '_')}_{what}": value for what, value in found.items()})
    figures["load_average"] = os.getloadavg()[0]
    return figures


def _source(package: Path, folder: Path) -> Source:
    packed = pack(package, Cache(folder / "cache"))
    wheel = folder / f"{package.name}.whl"
    wheel.write_bytes(packed.data)
    return source_of(wheel, ImageSettings())


def _calls(source: Source) -> list[Call]:
    """The package's audit cases."""
    contents = read_wheel(source.wheel.read_bytes())
    tasks = {task.id: task for split in contents.manifest.tasks for task in contents.tasks(split)}
    calls = []
    for number, case in enumerate(contents.cases()):
        task = case.task if case.task is not None else tasks[case.task_id or ""].model_dump(mode="json")
        calls.append(Call(str(number), dict(task), case.response))
    return calls


async def _measure_package(sandbox: Sandbox, source: Source, calls: list[Call]) -> dict[str, float]:
    """Microseconds of CPU time a verdict and verdicts a second, over all rounds.

    Each round has calls of its own: a pool's process remembers what a verifier keeps in its caches, a fork does not.
    It has them several times, to be as many as a trainer sends at once: a pool is better off than with different ones.
    """
    cpu = {"boxes": 0.0, "pool": 0.0, "forked": 0.0}
    wall, host_cpu = {"boxes": 0.0, "pool": 0.0}, 0.0
    first, *rounds = (calls[number :: _ROUNDS + 1] * _TIMES for number in range(_ROUNDS + 1))
    with _pool(source) as pool, _pool(source) as forking:
        await _through_boxes(sandbox, source, first)
        _through_pool(pool, first)
        _through_pool(forking, first)  # its caches are as warm as a zygote's, and warmer
        for part in rounds:
            boxes, began, at = _boxes_cpu(sandbox), time.process_time(), time.perf_counter()
            ours = await _through_boxes(sandbox, source, part)
            wall["boxes"] += time.perf_counter() - at
            host = time.process_time() - began
            cpu["boxes"] += host + _boxes_cpu(sandbox) - boxes
            host_cpu += host
            began, at = time.process_time(), time.perf_counter()
            theirs, children = _through_pool(pool, part)
            wall["pool"] += time.perf_counter() - at
            cpu["pool"] += time.process_time() - began + children
            began = time.process_time()
            forked, children = _through_pool(forking, part, _judge_in_a_fork, sandbox.settings.batch_calls)
            cpu["forked"] += time.process_time() - began + children
            assert ours == theirs == forked
        for one in (pool, forking):
            one.close()
            one.join()
    count = sum(map(len, rounds))
    return {
        "host_cpu_us": host_cpu / count * 1e6,
        **{f"{name}_cpu_us": seconds / count * 1e6 for name, seconds in cpu.items()},
        **{f"{name}_per_second": count / seconds for name, seconds in wall.items()},
        "to_pool_cpu_ratio": cpu["pool"] / cpu["boxes"],
        "forked_to_pool_cpu_ratio": cpu["pool"] / cpu["forked"],
        "to_pool_rate_ratio": wall["pool"] / wall["boxes"],
    }


# -- through boxes ---------------------------------------------------------------------------------------------------


async def _through_boxes(sandbox: Sandbox, source: Source, calls: list[Call]) -> _Rewards:
    numbered = [replace(call, id=str(number)) for number, call in enumerate(calls)]
    found = {one.id: one.verdict async for one in sandbox.judge(source, numbered)}
    return [dict(found[str(number)].rewards) for number in range(len(calls))]


def _boxes_cpu(sandbox: Sandbox) -> float:
    """Seconds that all boxes of this sandbox have used."""
    return sum(usage.cpu_seconds for _, usage in sandbox.pool.live.usages())


# -- through a pool --------------------------------------------------------------------------------------------------

_verify: Callable[..., Any]


def _pool(source: Source) -> Pool:
    paths = [str(wheel) for wheel in (source.wheel, *(locked.path for locked in source.lock))]
    return multiprocessing.get_context("spawn").Pool(_PROCESSES, _load, (paths, str(source.manifest.verifier)))


def _load(paths: list[str], entry: str) -> None:
    global _verify  # noqa: PLW0603 -- a pool's processes have no other place for it
    sys.path[:0] = paths
    module, _, name = entry.partition(":")
    _verify = getattr(importlib.import_module(module), name)


def _judge(calls: list[Call]) -> tuple[_Rewards, float]:
    began = time.process_time()
    names = inspect.signature(_verify).parameters
    given = [{"task": call.task, "response": call.response, "info": {}} for call in calls]
    rewards = [dict(_verify(**{name: row[name] for name in names if name in row})) for row in given]
    return rewards, time.process_time() - began


def _judge_in_a_fork(calls: list[Call]) -> tuple[_Rewards, float]:
    """:func:`_judge` in a child, made by the cheapest fork that we know, which tells its rewards by a pipe."""
    began = time.process_time()
    gc.freeze()
    told, tell = os.pipe()
    pid = cheap_fork.cheapest_fork(runs_hooks=False)()
    if pid == 0:
        os.write(tell, pickle.dumps(_judge(calls)[0]))
        os._exit(0)
    os.close(tell)
    rewards: _Rewards = pickle.loads(os.read(told, 1 << 20))  # noqa: S301 -- our own child's, small dicts
    os.close(told)
    _, _, usage = os.wait4(pid, 0)
    return rewards, time.process_time() - began + usage.ru_utime + usage.ru_stime


def _through_pool(
    pool: Pool,
    calls: list[Call],
    judge: Callable[[list[Call]], tuple[_Rewards, float]] = _judge,
    together: int = 32,
) -> tuple[_Rewards, float]:
    """Verdicts in order, and the seconds that the pool's processes used for them."""
    parts = [calls[start : start + together] for start in range(0, len(calls), together)]
    judged = pool.map(judge, parts, chunksize=1)
    return [one for rewards, _ in judged for one in rewards], sum(seconds for _, seconds in judged)


if __name__ == "__main__":
    main()
