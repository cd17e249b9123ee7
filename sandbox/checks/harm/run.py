"""``python -m sandbox harm``: judges calls while faults are injected, then looks for what is left behind.

It starts a separate engine on a disk of its own, so this machine's engine is not touched. It needs root.
"""

import asyncio
import contextlib
import random
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.backends.docker.engine import DockerEngine
from sandbox.checks.harm.harms import Harmer, Harms
from sandbox.checks.harm.left import boxes_below, descriptors, state_of, strange_files, what_stays
from sandbox.checks.harm.own_engine import OwnEngine, what_is_missing
from sandbox.checks.harm.work import (
    Tally,
    judge_new_release,
    judge_numbers,
    judge_programs,
    make_sandbox,
    play_session,
)
from sandbox.errors import SandboxUnavailableError
from sandbox.images.base import ensure_base
from sandbox.images.settings import ImageSettings
from sandbox.sandbox import Sandbox

_CLIENT_FOLDER_MB = 96
_SAY_SECONDS = 60.0
_PATIENCE_SECONDS = 60.0
_REAP_SECONDS = 2.0
"""Every client does this each 15 s."""
_Round = Callable[[Sandbox, Path, Tally, random.Random], Awaitable[None]]
_ROUNDS: dict[str, tuple[_Round, float]] = {
    "numbers": (judge_numbers, 0.0),
    "programs": (judge_programs, 0.0),
    "new release": (judge_new_release, 5.0),
    "session": (play_session, 0.5),
}
"""Kind of work -> the function for one round, and the seconds between two rounds. All kinds run at the same time."""


@dataclass
class HarmReport:
    """The result. ``left``: what was left behind at the end, which must be nothing."""

    tally: Tally
    seconds: float = 0.0
    harms: dict[str, int] = field(default_factory=dict)
    boxes_opened: int = 0
    boxes_lost: int = 0
    left: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return self.tally.is_clean and not self.left

    def as_json(self) -> dict[str, Any]:
        """What is written to the JSON report."""
        return {"is_clean": self.is_clean, **vars(self), "tally": self.tally.as_json()}

    def sentence(self) -> str:
        """The result in one sentence, for a person."""
        tally = self.tally
        return (
            f"{self.seconds / 60:.1f} minutes, {sum(self.harms.values())} harms, {self.boxes_opened:,} boxes opened, "
            f"{self.boxes_lost:,} lost: {tally.calls:,} calls, {tally.right:,} right, {tally.masked:,} masked, "
            f"{tally.wrong} wrong, {tally.blamed} blamed on a package, {tally.doubled} answered twice or never, "
            f"{tally.stuck} rounds stuck; left over: {', '.join(self.left) or 'nothing'}"
        )


def run_harm(seconds: float, seed: int, say: Callable[[str], None] = lambda _: None) -> HarmReport:
    """Blocking. ``say`` gets a progress message each minute, and each error at once.

    Raises SandboxUnavailableError if no separate engine can be started.
    """
    if missing := what_is_missing():
        raise SandboxUnavailableError(missing)
    with (
        tempfile.TemporaryDirectory(prefix="verihub-harm-", ignore_cleanup_errors=True) as folder,
        _engine(Path(folder)) as engine,
    ):
        return harm_engine(engine, seconds, seed, say)


def harm_engine(
    engine: OwnEngine,
    seconds: float,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
    *,
    moment_seconds: float = 1.0,
    order: Sequence[str] = (),
) -> HarmReport:
    """Like :func:`run_harm`, with a running engine. With an ``order`` it ends after those faults, at the latest after
    ``seconds``.
    """
    report = HarmReport(Tally(say=say))
    before = descriptors()
    with _small_disk(engine.folder / "client") as client_folder:
        harms = Harms(engine, client_folder, seed, moment_seconds)
        harmer = Harmer(harms, moment_seconds, order)
        asyncio.run(_work(engine, client_folder, harmer, seconds, report, seed))
        report.harms = dict(harmer.done)
        for words in harms.said_by_second_clients():
            report.tally.wrong += 1
            report.tally.note(f"a second client: {words}")
        report.left += [f"box {box}" for box in engine.why_they_stay()]
        report.left += [f"process {pid}, {state_of(pid)}" for pid in what_stays(harms.living_zygotes)]
        report.left += [
            f"process {pid}, {state_of(pid)}" for pid in what_stays(lambda: boxes_below(str(engine.folder)))
        ]
        report.left += [f"file {name}" for name in strange_files(client_folder)]
    report.left += [f"descriptor of {what}" for what in (descriptors() - before).elements()]
    return report


async def _work(
    engine: OwnEngine,
    folder: Path,
    harmer: Harmer,
    seconds: float,
    report: HarmReport,
    seed: int,
) -> None:
    """Run all kinds of work at the same time while faults are injected; at the end one round of each without faults."""
    began = time.monotonic()
    wheels = folder.parent / "wheels"
    wheels.mkdir(exist_ok=True)
    async with make_sandbox(engine.url, folder) as sandbox:
        await judge_numbers(sandbox, wheels, report.tally)
        harmer.start()
        tasks = [_repeat(sandbox, name, wheels, began + seconds, harmer, report.tally, seed=seed) for name in _ROUNDS]
        saying = asyncio.ensure_future(_say_how_it_stands(report, began))
        await asyncio.gather(*tasks)
        saying.cancel()
        harmer.is_over.set()
        await asyncio.to_thread(harmer.join)
        if harmer.failure is not None:
            raise harmer.failure
        masked = report.tally.masked
        for play, _ in _ROUNDS.values():
            await play(sandbox, wheels, report.tally, random.Random(0))  # noqa: S311 -- no secret
        if (masked := report.tally.masked - masked) > 0:
            report.left.append(f"{masked} calls masked although nothing is harmed any more")
        report.boxes_opened = int(sandbox.metrics.total("boxes_opened"))
        report.boxes_lost = int(sandbox.metrics.total("boxes_lost"))
    report.seconds = time.monotonic() - began
    # boxes that the engine created or ended too late for anybody to wait for them
    async with make_sandbox(engine.url, folder) as sandbox:
        until = time.monotonic() + _PATIENCE_SECONDS
        await sandbox.backend.reap()  # at least once: a client that was killed last has left sockets, but no box
        while engine.boxes_to_remove() and time.monotonic() < until:
            await asyncio.sleep(_REAP_SECONDS)
            await sandbox.backend.reap()


async def _say_how_it_stands(report: HarmReport, began: float) -> None:
    while True:
        await asyncio.sleep(_SAY_SECONDS)
        tally, minutes = report.tally, (time.monotonic() - began) / 60
        found = f"{tally.wrong} wrong, {tally.blamed} blamed, {tally.doubled} doubled, {tally.stuck} stuck"
        tally.say(f"{minutes:.0f} min: {tally.calls:,} calls, {tally.masked:,} masked, {found}")


async def _repeat(
    sandbox: Sandbox, name: str, wheels: Path, until: float, harmer: Harmer, tally: Tally, *, seed: int
) -> None:
    play, pause = _ROUNDS[name]
    chance = random.Random(f"{name} {seed}")  # noqa: S311 -- no secret
    while time.monotonic() < until and harmer.is_alive():
        await play(sandbox, wheels, tally, chance)
        tally.rounds[name] += 1
        await asyncio.sleep(pause)


# -- a separate engine and disk --------------------------------------------------------------------------------


@contextlib.contextmanager
def _engine(folder: Path) -> Iterator[OwnEngine]:
    shared = DockerEngine()
    base = ensure_base(shared, ImageSettings()).references[0]
    shared.close()
    engine = OwnEngine(folder, disk_mb=2048)
    engine.mount()
    try:
        engine.start()
        engine.load(base)
        yield engine
    finally:
        engine.free_disk()
        engine.stop()
        engine.unmount()


@contextlib.contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """A small disk for the files of a client, so that filling it fills nothing else."""
    folder.mkdir(exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_CLIENT_FOLDER_MB}m,mode=700", "tmpfs", str(folder)], check=True
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
