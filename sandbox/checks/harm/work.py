"""The work that runs while faults are injected: calls with known verdicts, programs, new releases and sessions."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.checks.benches.poison import IN_SOLUTION_BOX, RIGHT, WRONG
from sandbox.checks.benches.sessions import MESSAGE, sample
from sandbox.checks.harm.flight_record import BoxRecord, WatchedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import HostFaultError, SessionClosedError
from sandbox.images.settings import ImageSettings
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

_CODE = """
import time

def verify(task, response):
    time.sleep(0.005)
    return {"correct": float(int(response) % 3 == 0)}
"""
NUMBERS = Sample(_CODE, name="harmed", isolation="worker", timeout_seconds=5.0)
"""Accepts multiples of three. It writes no file, so that a full folder cannot change its verdicts."""
PROGRAMS = IN_SOLUTION_BOX
SESSION = sample("harmed-session", 0, 10)
_LEVELS = (Isolation.WORKER, Isolation.BATCH, Isolation.CALL)
_PATIENCE_SECONDS = 300.0
"""A round that takes longer counts as hung. Normally it ends much earlier."""
_KEPT = 1000
_KEPT_BOXES = 5
_REASON_CHARACTERS = 100


@dataclass
class Tally:
    """Counts of verdicts. Four of them must stay 0.

    ``wrong``: a reward with another value than expected. ``blamed``: a null verdict whose error names the package's
    code, although the machine was at fault. ``stuck``: a round that did not end. ``doubled``: a call that was answered
    twice or never.
    """

    calls: int = 0
    right: int = 0
    masked: int = 0
    wrong: int = 0
    blamed: int = 0
    doubled: int = 0
    stuck: int = 0
    rounds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    """Beginning of the error message of a masked call -> how often it was seen."""
    first: list[str] = field(default_factory=list)
    """A message for each wrong verdict or lost call."""
    boxes: list[dict[str, Any]] = field(default_factory=list)
    """The latest frames to and from all boxes, for the first few errors."""
    say: Callable[[str], None] = field(default=lambda _: None, repr=False)
    """Called with each message at once, so that it is kept even if the run is killed."""

    @property
    def is_clean(self) -> bool:
        return not (self.wrong or self.blamed or self.doubled or self.stuck)

    def take(self, what: str, expected: float, verdict: Verdict, records: Iterable[BoxRecord] = ()) -> None:
        """Count one verdict. ``records``: the boxes that may have judged it."""
        self.calls += 1
        if verdict.error is None:
            is_right = verdict.rewards == {"correct": expected}
            self.right += is_right
            self.wrong += not is_right
        else:
            is_right = verdict.error.kind is ErrorKind.HOST and verdict.rewards == {"correct": None}
            self.masked += is_right
            self.reasons[verdict.error.message[:_REASON_CHARACTERS]] += is_right
            self.blamed += not is_right
        if not is_right:
            self.note(f"{what}, expected {expected}: {verdict}", records)

    def note(self, text: str, records: Iterable[BoxRecord] = ()) -> None:
        """Keep and report ``text``; for the first few errors also the boxes' ``records``."""
        if len(self.first) >= _KEPT:
            return
        self.first.append(text)
        self.say(text)
        if len(self.boxes) < _KEPT_BOXES and (boxes := [record.as_json() for record in records]):
            self.boxes.append({"note": text, "boxes": boxes})
            self.say(json.dumps(self.boxes[-1]))

    def as_json(self) -> dict[str, Any]:
        """What is written to the JSON report."""
        return {name: value for name, value in vars(self).items() if name != "say"}


def make_sandbox(url: str, folder: Path) -> Sandbox:
    """A client of the engine at ``url`` that keeps everything in ``folder``."""
    settings = SandboxSettings(
        docker_url=url,
        state_folder=folder / "state",
        boxes_per_package=2,
        host_retries=4,
        replay_fraction=0.0,
        docker_timeout_seconds=20.0,
    )
    images = ImageSettings(cache_folder=folder / "images", registry_image="")
    return Sandbox(WatchedBackend(settings, images), settings)


async def judge_numbers(sandbox: Sandbox, folder: Path, tally: Tally, chance: random.Random | None = None) -> None:
    """Judge fifty calls at a random level."""
    level = (chance or random.Random()).choice(_LEVELS)  # noqa: S311 -- no secret
    await _judge(sandbox, NUMBERS.source(folder), [(float(n % 3 == 0), str(n)) for n in range(50)], level, tally)


async def judge_programs(sandbox: Sandbox, folder: Path, tally: Tally, chance: random.Random) -> None:
    """Judge a dozen programs, right and wrong, in solution boxes."""
    right = [chance.random() < 0.5 for _ in range(12)]
    calls = [(float(one), chance.choice(RIGHT if one else WRONG)) for one in right]
    await _judge(sandbox, PROGRAMS.source(folder), calls, None, tally)


async def judge_new_release(sandbox: Sandbox, folder: Path, tally: Tally, chance: random.Random) -> None:
    """Judge calls of a release that is new to the engine, so that an image must be built."""
    stamp = chance.getrandbits(64)
    source = Sample(f"{_CODE}\nSTAMP = {stamp}\n", name="harmed-new", timeout_seconds=5.0).source(folder)
    await _judge(sandbox, source, [(float(n % 3 == 0), str(n)) for n in range(6)], None, tally)


async def play_session(sandbox: Sandbox, folder: Path, tally: Tally, chance: random.Random) -> None:
    """Play one episode of a few steps. It may be lost with an error. Each answer must have the right number of
    steps.
    """
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS), sandbox.session(SESSION.source(folder), TASK, seed=1) as session:
            await session.reset()
            for number in range(chance.randint(1, 6)):
                answer = await session.step(MESSAGE)
                said = answer["messages"][0]["content"]
                if said != str(number + 2):
                    tally.wrong += 1
                    tally.note(f"a session at step {number}: {said}", _records(sandbox))
    except (SessionClosedError, HostFaultError):
        tally.masked += 1
    except TimeoutError:
        tally.stuck += 1


async def _judge(
    sandbox: Sandbox, source: Source, calls: list[tuple[float, str]], level: Isolation | None, tally: Tally
) -> None:
    waiting = dict(enumerate(calls))
    asked = [Call(str(number), TASK, response=response) for number, (_, response) in waiting.items()]
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async for ident, verdict in sandbox.score(source, asked, isolation=level):
                expected, response = waiting.pop(int(ident), (None, ""))
                if expected is None:
                    tally.doubled += 1
                    tally.note(f"call {ident} was answered twice")
                else:
                    what = f"{source.manifest.id} {response[:40]!r} at {level or 'its own level'}"
                    tally.take(what, expected, verdict, _records(sandbox))
    except TimeoutError:
        tally.stuck += 1
        tally.note(f"{source.manifest.id}: {len(waiting)} calls had no verdict after {_PATIENCE_SECONDS:g} s")
        return
    if waiting:
        tally.doubled += len(waiting)
        tally.note(f"{source.manifest.id}: no verdict for {sorted(waiting)}")


def _records(sandbox: Sandbox) -> Iterable[BoxRecord]:
    return sandbox.backend.records if isinstance(sandbox.backend, WatchedBackend) else ()
