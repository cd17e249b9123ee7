"""An executor that judges by a Python function: no process, no engine, real audit reports."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hub_server.errors import ExecutionUnavailableError
from hub_server.ports.executor import ExecutableRelease, ExecutorSession
from sandbox.audit.drawn_cases import drawn_cases
from sandbox.audit.runner import run_audit
from sandbox.audit.shared_cases import compare_on_cases
from sandbox.interface import Call, Source
from schemas.comparison import ComparisonPlan, VerifierComparison
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress, ReplayCount
from schemas.manifest import Isolation
from schemas.verdict import ScoreRequest, Verdict

Judgement = Callable[[str, dict[str, Any], str | None], Verdict]
"""(release's version, task, response) -> verdict."""


def exact_match(_version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Right when the response is the answer's text."""
    return Verdict(rewards={"correct": float((response or "").strip() == str(task.get("answer")))})


@dataclass(frozen=True)
class Judged:
    id: str
    verdict: Verdict
    milliseconds: float = 1.0
    byte_count: int = 0


class FakeExecutor:
    """``judge_call`` may be replaced, ``reason`` set (the sandbox is away), ``before_audit`` hooked.

    With ``is_stuck``, lists of verdicts never come, as on a host that is too busy to start a box. With
    ``makes_no_tasks``, no generator gets one.
    """

    def __init__(self, judge: Judgement = exact_match) -> None:
        self.judge_call = judge
        self.reason: str | None = None
        self.is_stuck = self.makes_no_tasks = False
        self.before_audit: Callable[[AuditPlan[ExecutableRelease]], None] = lambda _plan: None
        self.audited: list[str] = []
        self.make_case: Callable[[int, int], dict[str, Any]] | None = None
        self.replays = ReplayCount(0, 0)
        """What the next question about replays is answered with."""
        self._version = ""
        self._versions: dict[str, str] = {}

    def unavailable_reason(self) -> str | None:
        return self.reason

    def check(self) -> None:
        if self.reason is not None:
            raise ExecutionUnavailableError(self.reason)

    def score(
        self, release: ExecutableRelease, calls: Iterable[ScoreRequest], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        self.check()
        for call in calls:
            yield call.id, self.judge_call(release.version, call.task or {}, call.response)

    async def score_lists(
        self, release: ExecutableRelease, calls: AsyncIterator[ScoreRequest], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[list[Judged]]:
        self.check()
        async for call in calls:
            if self.is_stuck:
                await asyncio.Event().wait()
            yield [Judged(call.id, self.judge_call(release.version, call.task or {}, call.response))]

    def metrics(self) -> str:
        return "verihub_sandbox_boxes 0.0\n"

    def take_replays(self, release: ExecutableRelease) -> ReplayCount:
        found, self.replays = self.replays, ReplayCount(0, 0)
        return found

    def tasks(
        self, release: ExecutableRelease, split: str, *, start: int, count: int, seed: int, seconds: float | None = None
    ) -> list[dict[str, Any]]:
        self.check()
        if self.makes_no_tasks:
            assert seconds is not None, "this would wait for ever"
            raise ExecutionUnavailableError(f"nothing came within {seconds:g} s")
        return [
            {"id": f"{split}-{seed}-{index}", "prompt": f"{index}+{seed}?", "answer": index + seed}
            for index in range(start, start + count)
        ]

    def audit(self, plan: AuditPlan[ExecutableRelease], progress: Progress) -> AuditReport:
        self.check()
        self.before_audit(plan)
        self.audited.append(plan.subject)
        self._version = plan.verifier.version
        source = Source(plan.verifier.digest, plan.verifier.wheel, plan.verifier.manifest)
        suites = [(Source(suite.digest, suite.wheel, suite.manifest), draw) for suite, draw in plan.draws]
        audit = run_audit(
            self,
            source,
            [*plan.cases, *asyncio.run(drawn_cases(self, suites))],
            tasks=plan.tasks,
            subject=plan.subject,
            repeats=plan.repeats,
            progress=progress,
            seconds=plan.seconds,
        )
        return asyncio.run(audit)

    def compare(self, plan: ComparisonPlan[ExecutableRelease], progress: Progress) -> VerifierComparison:
        self.check()
        releases = (plan.first, plan.second)
        self._versions = {release.digest: release.version for release in releases}
        sources = [Source(release.digest, release.wheel, release.manifest) for release in releases]
        return asyncio.run(
            compare_on_cases(self, (sources[0], sources[1]), plan.sides, names=plan.names, progress=progress)
        )

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        for call in calls:
            version = self._versions.get(source.digest, self._version)
            yield Judged(call.id, self.judge_call(version, call.task, call.response))

    async def image_digest(self, source: Source) -> str:
        return "sha256:" + "0" * 64

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        return [self.make_case(seed, index) for index in range(count)] if self.make_case is not None else []

    @contextmanager
    def session(self, release: ExecutableRelease, task: dict[str, Any], *, seed: int) -> Iterator[ExecutorSession]:
        self.check()
        yield FakeSession(task)

    def close(self) -> None:
        self.reason = "The hub is stopping."


class FakeSession:
    """Counts turns; done at the third."""

    def __init__(self, task: dict[str, Any], turns: tuple[str, ...] = ()) -> None:
        self._task = task
        self._turns = list(turns)

    def reset(self) -> dict[str, Any]:
        self._turns.clear()
        return {"messages": [{"role": "user", "content": self._task["prompt"]}], "tools": []}

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        self._turns.append(str(message.get("content")))
        return {"messages": [], "done": len(self._turns) >= 3}

    def state(self) -> dict[str, Any]:
        return {"turns": list(self._turns)}

    def branch(self) -> "FakeSession":
        return FakeSession(self._task, tuple(self._turns))

    def undo(self) -> None:
        self._turns.pop()

    def close(self) -> None:
        self._turns.clear()
