import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from sandbox.backends.remote import RemoteSandbox
from sandbox.backends.scripted import ScriptedBackend
from sandbox.errors import BoxLostError
from sandbox.interface import Call, Source
from sandbox.running import Sandbox
from sandbox.samples import TASK
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict


class Line:
    """A transport to a sandbox in this process; ``breaks`` says after how many verdicts each request breaks off."""

    def __init__(self, sandbox: Sandbox, breaks: Sequence[int | None] = ()) -> None:
        self.sandbox = sandbox
        self.breaks = list(breaks)
        self.requests: list[int] = []

    async def score(
        self, source: Source, calls: Sequence[Call], isolation: Isolation | None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        self.requests.append(len(calls))
        left = self.breaks.pop(0) if self.breaks else None
        async for answer in self.sandbox.score(source, calls, isolation=isolation):
            if left == 0:
                raise BoxLostError("the line broke")
            left = left - 1 if left is not None else None
            yield answer
            yield answer  # a line may repeat itself
            yield "never asked", answer[1]

    async def tasks(self, source: Source, split: str, start: int, count: int, seed: int) -> list[dict[str, Any]]:
        return await self.sandbox.tasks(source, split, start=start, count=count, seed=seed)

    async def image_digest(self, source: Source) -> str:
        return await self.sandbox.image_digest(source)

    async def aclose(self) -> None:
        await self.sandbox.aclose()


def run(
    source: Source, backend: ScriptedBackend, breaks: Sequence[int | None], count: int
) -> tuple[dict[str, Verdict], Line]:
    async def work() -> tuple[dict[str, Verdict], Line]:
        settings = SandboxSettings(host_retries=2)
        line = Line(Sandbox(backend, settings), breaks)
        seen: Counter[str] = Counter()
        verdicts = {}
        async with RemoteSandbox(line, settings) as remote:  # type: ignore[arg-type]
            calls = [Call(str(i), TASK, response="2" if i % 2 else "3") for i in range(count)]
            async for ident, verdict in remote.score(source, calls):
                seen[ident] += 1
                verdicts[ident] = verdict
        assert set(seen.values()) <= {1}
        return verdicts, line

    return asyncio.run(work())


def test_every_call_is_answered_once_though_the_line_breaks(
    equal_source: Source, scripted_backend: ScriptedBackend
) -> None:
    verdicts, line = run(equal_source, scripted_backend, [5, 0, None], 150)
    assert {ident: v.rewards["correct"] for ident, v in verdicts.items()} == {str(i): float(i % 2) for i in range(150)}
    assert len(line.requests) > 3


def test_a_line_that_never_answers_ends_in_null_and_host(
    equal_source: Source, scripted_backend: ScriptedBackend
) -> None:
    verdicts, _ = run(equal_source, scripted_backend, [0, 0, 0], 3)
    assert {v.error.kind for v in verdicts.values() if v.error} == {ErrorKind.HOST}
    assert len(verdicts) == 3


def test_another_vector_than_declared_is_not_believed(equal_source: Source) -> None:
    class Liar(Line):
        async def score(self, source: Source, calls: Any, isolation: Any) -> AsyncIterator[tuple[str, Verdict]]:
            for call in calls:
                yield call.id, Verdict(rewards={"correct": 7.0})

    async def work() -> Verdict:
        async with RemoteSandbox(Liar(Sandbox(ScriptedBackend()))) as remote:  # type: ignore[arg-type]
            [(_, verdict)] = [answer async for answer in remote.score(equal_source, [Call("1", TASK, response="2")])]
            return verdict

    verdict = asyncio.run(work())
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.HOST


def test_an_error_of_the_callers_iterator_is_raised(equal_source: Source, scripted_backend: ScriptedBackend) -> None:
    def broken() -> Any:
        yield Call("1", TASK, response="2")
        raise LookupError("no more")

    async def work() -> None:
        async with RemoteSandbox(Line(Sandbox(scripted_backend))) as remote:  # type: ignore[arg-type]
            async for _ in remote.score(equal_source, broken()):
                pass

    with pytest.raises(LookupError, match="no more"):
        asyncio.run(work())
