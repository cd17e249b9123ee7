"""Runs many calls and sessions and measures what they leave behind on this machine: ``scripts/soak``."""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.cgroups import processes_of
from sandbox.backends.docker.reaper import OWNER
from sandbox.checks.benches.sessions import MESSAGE, sample
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxError
from sandbox.images.settings import ImageSettings
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

LITTERING = Sample(
    """
    import os

    def verify(task, response, info):
        with open(f"left-{int(response) % 100}", "w") as file:
            file.write(response * 100)
        if int(response) % 1000 == 7 and os.fork() == 0:
            os.setsid()
            import time
            time.sleep(600)
        info["numbers"] = list(range(int(response) % 50))
        return {"correct": float(int(response) % 2)}
    """,
    name="littering",
    isolation="worker",
)
"""Every call leaves a file, and one in a thousand leaves a process.

There are only a hundred file names, since at level ``worker`` the files stay for a while.
"""
LEVELS = (Isolation.WORKER, Isolation.BATCH, Isolation.CALL)
_SETTLED_SHARE = 0.1
_SESSIONS_AT_ONCE = 20
_DYING_SECONDS = 0.1  # processes of closed sessions end meanwhile


@dataclass(frozen=True)
class Facts:
    """What is in use at one moment. A megabyte is 2^20 bytes."""

    rss_mb: float
    descriptors: int
    zombies: int
    tasks: int
    containers: int
    box_processes: int
    box_memory_mb: float
    disk_mb: float


@dataclass(frozen=True)
class Phase:
    """One kind of work. ``before`` is measured when a tenth is done, so that the warm-up does not count."""

    name: str
    count: int
    seconds: float
    before: Facts
    middle: Facts
    after: Facts

    def growth(self, what: str) -> float:
        """The growth for each 100,000 calls or sessions."""
        share = self.count * (1 - _SETTLED_SHARE) / 100_000
        after, before = asdict(self.after), asdict(self.before)
        return float(after[what] - before[what]) / share


class Soak:
    """Runs work on one sandbox with the Docker backend, and inspects this process, its boxes and its folders."""

    def __init__(self, sandbox: Sandbox, backend: DockerBackend, source: Source) -> None:
        self._sandbox = sandbox
        self._backend = backend
        self._source = source

    async def calls(self, level: Isolation, count: int) -> Phase:
        """Judge ``count`` calls at ``level``; every verdict is checked."""
        started = time.perf_counter()
        seen = 0
        before = middle = await self.look()
        marks = {int(count * _SETTLED_SHARE), count // 2}
        async for one in self._sandbox.judge(self._source, _calls(count), isolation=level):
            if one.verdict.rewards != {"correct": float(int(one.id) % 2)}:
                raise AssertionError(f"a wrong verdict: {one}")
            seen += 1
            if seen in marks:
                middle = await self.look()
                before = middle if seen == min(marks) else before
        if seen != count:
            raise AssertionError(f"{seen} verdicts of {count} calls")
        return Phase(level.value, count, time.perf_counter() - started, before, middle, await self.look())

    async def sessions(self, source: Source, count: int) -> Phase:
        """Open, step, branch, go back and close ``count`` sessions, a few at a time."""
        started = time.perf_counter()
        looks = []
        for first in range(0, count, _SESSIONS_AT_ONCE):
            seeds = range(first, min(first + _SESSIONS_AT_ONCE, count))
            await asyncio.gather(*(self._live_once(source, seed) for seed in seeds))
            await asyncio.sleep(_DYING_SECONDS)
            looks.append(await self.look())
        before, middle = looks[int(len(looks) * _SETTLED_SHARE)], looks[len(looks) // 2]
        return Phase("sessions", count, time.perf_counter() - started, before, middle, looks[-1])

    async def _live_once(self, source: Source, seed: int) -> None:
        async with self._sandbox.session(source, TASK, seed=seed) as session:
            await session.reset()
            await session.step(MESSAGE)
            branch = await session.branch()
            await branch.step(MESSAGE)
            await session.undo()
            states = await session.state(), await branch.state()
            await branch.close()
        if states != ({"steps": 0}, {"steps": 2}):
            raise AssertionError(f"a wrong state: {states}")

    async def look(self) -> Facts:
        """The present state."""
        owner = str(self._backend._claim().lock_path)  # noqa: SLF001 -- which boxes are ours
        found = await asyncio.to_thread(self._backend.found_boxes)
        boxes = [box.ident for box in found if box.labels.get(OWNER) == owner]
        usages = self._sandbox.pool.live.usages()
        return Facts(
            rss_mb=_own_rss_mb(),
            descriptors=_own_descriptors(),
            zombies=_zombies_of(os.getpid()),
            tasks=len(asyncio.all_tasks()),
            containers=len(boxes),
            box_processes=sum(len(processes_of(box)) for box in boxes),
            box_memory_mb=sum(usage.memory_bytes for _, usage in usages) / 2**20,
            disk_mb=await asyncio.to_thread(self._disk_mb),
        )

    def _disk_mb(self) -> float:
        settings, images = self._sandbox.settings, ImageSettings()
        return sum(_size(folder) for folder in (settings.state_folder, images.cache_folder)) / 2**20


def _calls(count: int) -> Iterator[Call]:
    return (Call(str(number), TASK, response=str(number)) for number in range(count))


def _own_rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _own_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _zombies_of(parent: int) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, above = path.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        count += state == "Z" and int(above) == parent
    return count


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


async def soak(calls: int, sessions: int, levels: Sequence[Isolation] = LEVELS) -> list[Phase]:
    """Run all phases, with one sandbox in this process on the Docker engine."""
    settings = SandboxSettings(replay_fraction=0.0)
    backend = DockerBackend(settings)
    phases = []
    with tempfile.TemporaryDirectory(prefix="verihub-soak-") as folder:
        async with Sandbox(backend, settings) as sandbox:
            work = Soak(sandbox, backend, LITTERING.source(Path(folder)))
            for level in levels:
                phases.append(await work.calls(level, calls))
                _say(_row(phases[-1]))
            if sessions:
                phases.append(await work.sessions(sample("soaked", 0, 0).source(Path(folder)), sessions))
                _say(_row(phases[-1]))
    return phases


def main(arguments: Sequence[str] | None = None) -> None:
    """Work and print; exit status 8 where there is no engine."""
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="at each level")
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--format", default="human", choices=("human", "json"))
    options = parser.parse_args(arguments)
    levels = [Isolation(name) for name in options.levels.split(",")]
    try:
        phases = asyncio.run(soak(options.calls, options.sessions, levels))
    except SandboxError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(8)
    if options.format == "json":
        sys.stdout.write(json.dumps(flat(phases)) + "\n")


def flat(phases: Sequence[Phase]) -> dict[str, float]:
    """``{level}_{what}_{start|middle|end|growth_per_100k}`` and ``{level}_count``, ``{level}_seconds``."""
    figures: dict[str, float] = {}
    for one in phases:
        figures |= {f"{one.name}_count": one.count, f"{one.name}_seconds": one.seconds}
        for moment, facts in (("start", one.before), ("middle", one.middle), ("end", one.after)):
            figures |= {f"{one.name}_{what}_{moment}": value for what, value in asdict(facts).items()}
        figures |= {f"{one.name}_{field.name}_growth_per_100k": one.growth(field.name) for field in fields(Facts)}
    return figures


def _row(one: Phase) -> str:
    lines = [f"{one.name}: {one.count:,} in {one.seconds:.0f} s{'start':>28} {'middle':>12} {'end':>12}"]
    for field in fields(Facts):
        values = (getattr(facts, field.name) for facts in (one.before, one.middle, one.after))
        lines.append(f"  {field.name:36}" + "".join(f" {value:12,.1f}" for value in values))
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
