"""Cases through the sandbox: calls out, judgements back in order, what they cost, and whether they repeat."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol

from sandbox.audit import evaluation
from sandbox.audit.cases import call_of, task_of
from sandbox.audit.evaluation import Judgement
from sandbox.interface import Call, Source
from schemas.audit import AuditCase, Progress
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

MOST_AGAIN = 20
"""A case waits for its time limit, 5 s unless the manifest says otherwise: a few minutes at most."""


class JudgedCall(Protocol):
    """A verdict and the milliseconds that the package's code took for it."""

    @property
    def id(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def milliseconds(self) -> float: ...


class Judge(Protocol):
    """What an audit needs of :class:`sandbox.sandbox.Sandbox`."""

    def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[JudgedCall]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]: ...


@dataclass
class CaseRun:
    """One package under measurement: calls sent so far, and the milliseconds they took. ``progress``: (done, total).

    At ``ends_at`` (of the event loop's clock; None: never) it ends: what has no verdict by then is not judged.
    """

    sandbox: Judge
    source: Source
    isolation: Isolation | None = None
    progress: Progress = lambda _done, _total: None
    ends_at: float | None = None
    milliseconds: list[float] = field(default_factory=list)
    is_cut: bool = False
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
            Judgement(case, task, verdicts.get(f"{index}/0", self._without_answer(task)))
            for index, (case, task) in enumerate(zip(cases, found, strict=True))
        ]
        flips = sum(
            _flipped([verdicts.get(f"{index}/{repeat}") for repeat in range(repeats)]) for index in range(len(cases))
        )
        return judgements, flips

    async def judge_late_ones_again(self, judgements: Sequence[Judgement]) -> list[Judgement]:
        """Judge what took too long once more, one at a time: a busy machine says nothing about a verifier.

        At most ``MOST_AGAIN``: where more were late, the verifier is slow, and the others stay as they are.
        """
        late = [index for index, one in enumerate(judgements) if _is_late(one)]
        found, kept = list(judgements), len(self.milliseconds)
        for index in late if len(late) <= MOST_AGAIN and not self.is_cut else ():
            one = found[index]
            assert one.task is not None, "what was judged has its task"
            verdicts = await self._verdicts([call_of(one.case, dict(one.task), f"{index}/again")])
            found[index] = Judgement(one.case, one.task, verdicts.get(f"{index}/again", one.verdict))
        del self.milliseconds[kept:]  # every case has one latency: that of its first call
        return found

    async def _verdicts(self, calls: list[Call]) -> dict[str, Verdict]:
        self.total += len(calls)
        verdicts: dict[str, Verdict] = {}
        if not calls:
            return verdicts
        clock = asyncio.timeout_at(self.ends_at)
        try:
            async with clock:
                await self._take_verdicts(calls, verdicts)
        except TimeoutError:
            if not clock.expired():
                raise
            self.is_cut = True
        return verdicts

    async def _take_verdicts(self, calls: list[Call], verdicts: dict[str, Verdict]) -> None:
        async with aclosing(self.sandbox.judge(self.source, calls, isolation=self.isolation)) as stream:  # type: ignore[type-var]
            async for judged in stream:
                verdicts[judged.id] = judged.verdict
                if judged.milliseconds > 0:
                    self.milliseconds.append(judged.milliseconds)
                self.done += 1
                self.progress(self.done, self.total)

    def _without_answer(self, task: Mapping[str, Any] | None) -> Verdict | None:
        """What a case gets that has no verdict: the reason where the audit had no time for it."""
        if task is None or not self.is_cut:
            return None
        words = "The audit's time was used up before this case was judged."
        return Verdict.unjudged(list(self.source.manifest.rewards), ErrorKind.TIMEOUT, words)


def _is_late(one: Judgement) -> bool:
    return one.verdict is not None and one.verdict.error is not None and one.verdict.error.kind is ErrorKind.TIMEOUT


def _flipped(verdicts: Sequence[Verdict | None]) -> bool:
    """Whether the vector was not the same each time. A fault of our own says nothing about the package."""
    vectors = [verdict.rewards for verdict in verdicts if verdict is not None and not evaluation.is_host_fault(verdict)]
    return any(vector != vectors[0] for vector in vectors[1:])
