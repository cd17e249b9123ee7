"""Runs cases through the sandbox: judgements in the order of the cases, their cost, and whether they repeat."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sandbox.audit import evaluation
from sandbox.audit.cases import call_of, task_of
from sandbox.audit.evaluation import Judgement
from sandbox.interface import Call, Source
from schemas.evidence.audit_plan import Progress
from schemas.evidence.cases import AuditCase, Origin
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

MOST_LATE_AGAIN = 20
"""Late cases are judged again until this many more of them are late again than are not.

Each takes up to its time limit (5 s by default), so a slow verifier takes two minutes more.
"""


class JudgedCall(Protocol):
    """A verdict and the milliseconds that the package's code took for it."""

    @property
    def id(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def milliseconds(self) -> float: ...


class Judge(Protocol):
    """The methods of :class:`sandbox.sandbox.Sandbox` that an audit needs."""

    def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[JudgedCall]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]: ...


@dataclass
class CaseRun:
    """The measurement of one package: calls sent so far, and their milliseconds.

    ``progress`` is called with (done, total). At ``ends_at`` (time of the event loop's clock; None: never) the
    measurement ends, and cases without a verdict count as not judged. ``order`` seeds the order of the calls.
    """

    sandbox: Judge
    source: Source
    isolation: Isolation | None = None
    progress: Progress = lambda _done, _total: None
    ends_at: float | None = None
    order: str | None = None
    milliseconds: list[float] = field(default_factory=list)
    is_cut: bool = False
    done: int = 0
    total: int = 0
    _late_again: int = 0
    """Calls that were late again, less those that were not, counted from zero up."""

    async def judge(
        self, cases: Sequence[AuditCase], tasks: Mapping[str, dict[str, Any]], repeats: int = 1
    ) -> tuple[list[Judgement], int]:
        """Judge every case ``repeats`` times: once as the package asks, then in other orders, a fork a call and boxes
        with another hash seed. The boxes of the first say another date and machine: only there nothing else is unusual.

        Returns the judgements in order, and how many cases changed their vector. A verifier that remembers calls, or
        counts them, or depends on the order of a set, changes it. A case whose verdict changed is unsteady: it counts
        as not judged.
        """
        found = [task_of(case, tasks) for case in cases]
        batches: list[tuple[bool, int, list[Call]]] = []
        for repeat in range(repeats):
            calls: dict[bool, list[Call]] = {False: [], True: []}
            for index, (case, task) in enumerate(zip(cases, found, strict=True)):
                if task is not None:
                    calls[_is_held(case)].append(call_of(case, task, f"{index}/{repeat}"))
            batches += [(is_held or repeat > 0, repeat, self._ordered(some, repeat)) for is_held, some in calls.items()]
        self.total += sum(len(some) for *_, some in batches)
        verdicts: dict[str, Verdict] = {}
        for is_alone, repeat, some in batches:
            verdicts |= await self._verdicts(some, is_alone=is_alone, hash_seed=repeat)
        first_ones = [(call, is_alone) for is_alone, repeat, some in batches if repeat == 0 for call in some]
        await self._judge_late_ones_again(first_ones, verdicts)
        judgements, flips = [], 0
        for index, (case, task) in enumerate(zip(cases, found, strict=True)):
            runs = _evidence([verdicts.get(f"{index}/{repeat}") for repeat in range(repeats)])
            flips += any(run.rewards != runs[0].rewards for run in runs)
            is_unsteady = len({run.accepts(dict(self.source.manifest.rewards)) for run in runs}) > 1
            first = verdicts.get(f"{index}/0", self._without_answer(task))
            judgements.append(Judgement(case, task, first, is_unsteady=is_unsteady))
        return judgements, flips

    def _ordered(self, calls: list[Call], repeat: int) -> list[Call]:
        if self.order is not None or repeat:
            random.Random(f"{self.order} {repeat}").shuffle(calls)  # noqa: S311 -- an order, no secret
        return calls

    async def _judge_late_ones_again(self, calls: list[tuple[Call, bool]], verdicts: dict[str, Verdict]) -> None:
        """Judge calls that exceeded their time limit once more, one at a time, and put their new verdicts in place.

        ``calls``: each with whether it is judged alone. On a busy machine a timeout says nothing about the verifier. If
        most are late again, the verifier is slow: the timeouts of the others stay (see ``MOST_LATE_AGAIN``). The order
        is drawn, so that those that are judged again speak for those that are not.
        """
        late = [(call, is_alone) for call, is_alone in calls if is_late(verdicts.get(call.id))]
        random.Random(f"{self.order} again").shuffle(late)  # noqa: S311 -- an order, no secret
        kept = len(self.milliseconds)
        for call, is_alone in late:
            if self.is_cut or self._late_again >= MOST_LATE_AGAIN:
                break
            self.total += 1
            verdicts.update(await self._verdicts([call], is_alone=is_alone))
            self._late_again = max(0, self._late_again + (1 if is_late(verdicts[call.id]) else -1))
        del self.milliseconds[kept:]  # Every case has one latency: that of its first call.

    async def _verdicts(self, calls: list[Call], *, is_alone: bool = False, hash_seed: int = 0) -> dict[str, Verdict]:
        """The verdicts of calls. ``is_alone``: each in a fork of its own.

        Held cases are judged alone: they share no process with others. Code that remembers what it saw could repeat it
        in the reward or error of a case that is shown, or in a probe that it registers.
        """
        isolation = Isolation.CALL.raised_to(self.isolation) if is_alone else self.isolation
        source = replace(self.source, hash_seed=hash_seed, is_elsewhere=hash_seed == 0)
        verdicts: dict[str, Verdict] = {}
        if not calls:
            return verdicts
        clock = asyncio.timeout_at(self.ends_at)
        try:
            async with clock:
                await self._take_verdicts(source, calls, verdicts, isolation)
        except TimeoutError:
            if not clock.expired():
                raise
            self.is_cut = True
        return verdicts

    async def _take_verdicts(
        self, source: Source, calls: list[Call], verdicts: dict[str, Verdict], isolation: Isolation | None
    ) -> None:
        async with aclosing(self.sandbox.judge(source, calls, isolation=isolation)) as stream:  # type: ignore[type-var]
            async for judged in stream:
                verdicts[judged.id] = judged.verdict
                if judged.milliseconds > 0:
                    self.milliseconds.append(judged.milliseconds)
                self.done += 1
                self.progress(self.done, self.total)

    def _without_answer(self, task: Mapping[str, Any] | None) -> Verdict | None:
        """The result of a case without a verdict: the reason, when the audit ran out of time."""
        if task is None or not self.is_cut:
            return None
        words = "The audit's time was used up before this case was judged."
        return Verdict.unjudged(list(self.source.manifest.rewards), ErrorKind.TIMEOUT, words)


def _is_held(case: AuditCase) -> bool:
    return case.origin is Origin.HELD


def is_late(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.error is not None and verdict.error.kind is ErrorKind.TIMEOUT


def _evidence(verdicts: Sequence[Verdict | None]) -> list[Verdict]:
    """Those that say something about the package: what was late or lost does not."""
    return [verdict for verdict in verdicts if verdict is not None and evaluation.is_evidence(verdict)]
