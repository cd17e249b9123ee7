"""Cases through the sandbox: calls out, judgements back in order, what they cost, and whether they repeat."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol

from sandbox.audit import evaluation
from sandbox.audit.cases import call_of, task_of
from sandbox.audit.evaluation import Judgement
from sandbox.interface import Call, Source
from schemas.audit import AuditCase
from schemas.manifest import Isolation
from schemas.verdict import Verdict

Progress = Callable[[int, int], None]


class JudgedCall(Protocol):
    """A verdict and the milliseconds that the package's code took for it."""

    @property
    def id(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def milliseconds(self) -> float: ...


class Judge(Protocol):
    """What an audit needs of :class:`sandbox.running.Sandbox`."""

    def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[JudgedCall]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]: ...


@dataclass
class CaseRun:
    """One package under measurement: calls sent so far, and the milliseconds they took. ``progress``: (done, total)."""

    sandbox: Judge
    source: Source
    isolation: Isolation | None = None
    progress: Progress = lambda _done, _total: None
    milliseconds: list[float] = field(default_factory=list)
    done: int = 0
    total: int = 0

    async def judge(
        self, cases: Sequence[AuditCase], tasks: Mapping[str, dict[str, Any]], repeats: int = 1
    ) -> tuple[list[Judgement], int]:
        """Judge every case ``repeats`` times: the judgements in order, and how many cases changed their vector."""
        found = [task_of(case, tasks) for case in cases]
        calls = [
            call_of(case, task, f"{index}/{repeat}")
            for repeat in range(repeats)
            for index, (case, task) in enumerate(zip(cases, found, strict=True))
            if task is not None
        ]
        verdicts = await self._verdicts(calls)
        judgements = [
            Judgement(case, task, verdicts.get(f"{index}/0"))
            for index, (case, task) in enumerate(zip(cases, found, strict=True))
        ]
        flips = sum(
            _flipped([verdicts.get(f"{index}/{repeat}") for repeat in range(repeats)]) for index in range(len(cases))
        )
        return judgements, flips

    async def _verdicts(self, calls: list[Call]) -> dict[str, Verdict]:
        self.total += len(calls)
        verdicts: dict[str, Verdict] = {}
        if not calls:
            return verdicts
        async with aclosing(self.sandbox.judge(self.source, calls, isolation=self.isolation)) as stream:  # type: ignore[type-var]
            async for judged in stream:
                verdicts[judged.id] = judged.verdict
                if judged.milliseconds > 0:
                    self.milliseconds.append(judged.milliseconds)
                self.done += 1
                self.progress(self.done, self.total)
        return verdicts


def _flipped(verdicts: Sequence[Verdict | None]) -> bool:
    """Whether the vector was not the same each time. A fault of our own says nothing about the package."""
    vectors = [verdict.rewards for verdict in verdicts if verdict is not None and not evaluation.is_host_fault(verdict)]
    return any(vector != vectors[0] for vector in vectors[1:])
