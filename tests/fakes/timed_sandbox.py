"""A sandbox whose verdicts and durations a test says: a bench's arithmetic on known numbers, without a clock."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from types import SimpleNamespace
from typing import Any

from sandbox.interface import BoxUsage, Call, Source
from schemas.manifest import Isolation
from schemas.verdict import Verdict


class Ticks:
    """Stands in for the module ``time`` of a bench: it moves when work is done, and only then."""

    def __init__(self) -> None:
        self.now = 0.0
        self.cpu = 0.0
        self._stamp = 0

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.cpu

    def time_ns(self) -> int:
        self._stamp += 1
        return self._stamp


@dataclass(frozen=True)
class TimedCall:
    id: str
    verdict: Verdict
    milliseconds: float


def equal(call: Call) -> Verdict:
    """What a package says that compares with the task's answer."""
    return Verdict(rewards={"correct": float(call.response == call.task["answer"])})


class TimedSandbox:
    """Each call takes the next of ``seconds``, and ``cpu_seconds`` of this process.

    ``milliseconds``: what the package's own code took of it. Of a group, the first ``lost`` verdicts never come.
    """

    def __init__(
        self,
        ticks: Ticks,
        seconds: Iterable[float] = (1.0,),
        *,
        verdict: Callable[[Call], Verdict] = equal,
        cpu_seconds: float = 0.0,
        milliseconds: float = 0.0,
        lost: int = 0,
    ) -> None:
        self.ticks = ticks
        self.judged: list[tuple[Source, Isolation | None]] = []
        self._seconds: Iterator[float] = cycle(seconds)
        self._verdict = verdict
        self._cpu_seconds = cpu_seconds
        self._milliseconds = milliseconds
        self._lost = lost

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[TimedCall]:
        for call in list(calls)[self._lost :]:
            self.judged.append((source, isolation))
            self.ticks.now += next(self._seconds)
            self.ticks.cpu += self._cpu_seconds
            yield TimedCall(call.id, self._verdict(call), self._milliseconds)


class TimedSessions:
    """Live sessions: each request takes the next of its kind's ``seconds``, and the box half of that as CPU time.

    A live session holds 2 MiB, each step that counts 1 MiB more. ``forgets`` steps, sessions answer a wrong state.
    """

    def __init__(self, ticks: Ticks, *, forgets: bool = False, **seconds: Iterable[float]) -> None:
        self.ticks = ticks
        self.forgets = forgets
        self.live: list[TimedSession] = []
        self.opened = 0
        live = SimpleNamespace(usages=self._usages, by_state=lambda: {"idle": 1, "busy": 2})
        self.pool = SimpleNamespace(live=live)
        self._seconds = {what: cycle(some) for what, some in seconds.items()}
        self._cpu_seconds = 0.0

    @property
    def sessions(self) -> "TimedSessions":
        return self

    async def open(self, source: Source, task: Any, seed: int = 0) -> "TimedSession":
        self.spend("open")
        return TimedSession(self)

    @asynccontextmanager
    async def session(self, source: Source, task: Any, *, seed: int = 0) -> AsyncIterator["TimedSession"]:
        session = await self.open(source, task, seed)
        yield session
        await session.close()

    def spend(self, what: str) -> None:
        seconds = next(self._seconds.get(what, cycle([0.0])))
        self.ticks.now += seconds
        self._cpu_seconds += seconds / 2

    def _usages(self) -> list[tuple[str, BoxUsage]]:
        memory = sum(2 + session.steps for session in self.live) << 20
        return [
            ("sample/timed", BoxUsage(self._cpu_seconds, memory, memory, 0)),
            ("sample/other", BoxUsage(1000 * self.ticks.now, 0, 0, 0)),
        ]


class TimedSession:
    def __init__(self, house: TimedSessions, steps: int = 0) -> None:
        self.steps = steps
        self._house = house
        house.live.append(self)
        house.opened += 1

    async def reset(self) -> None:
        self._house.spend("reset")

    async def step(self, message: Any) -> None:
        self._house.spend("step")
        self.steps += 1

    async def branch(self) -> "TimedSession":
        self._house.spend("branch")
        return TimedSession(self._house, self.steps)

    async def undo(self) -> None:
        self._house.spend("undo")
        self.steps -= 1

    async def state(self) -> dict[str, int]:
        return {"steps": 0 if self._house.forgets else self.steps}

    async def close(self) -> None:
        self._house.spend("close")
        self._house.live.remove(self)
