"""A stream of calls: what it holds at a time has a limit in calls and in bytes."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.host import scoring_stream
from sandbox.host.call_groups import QueuedCall
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from sandbox.streams import Channel
from schemas.verdict import ErrorKind
from tests.sandbox.clocks import run_by_hand, settled

SETTINGS = SandboxSettings(replay_fraction=0.0, queue_limit=4096)


def judges_with_much_to_say(response: str, info: dict[str, object]) -> dict[str, float]:
    info["again"] = response
    return {"correct": 1.0}


def test_a_stream_holds_only_so_many_bytes_and_loses_none_of_them(
    equal_source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_stream, "_HELD_BYTES", 100_000)
    size, read = 10_000, 0

    async def many() -> AsyncIterator[Call]:
        nonlocal read
        for number in range(200):
            read += 1
            yield Call(str(number), TASK, response="x" * size)

    async def run() -> None:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), SETTINGS) as sandbox:
            stream = sandbox.judge(equal_source, many())
            first = await anext(stream)
            await settled()
            assert read < 30
            seen = [first.id] + [one.id async for one in stream]
            assert sorted(map(int, seen)) == list(range(200))

    run_by_hand(run())


def test_a_short_list_is_judged_whatever_its_size(equal_source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held by its caller anyway, and nobody reads verdicts before all of it is queued."""
    monkeypatch.setattr(scoring_stream, "_HELD_BYTES", 1000)
    calls = [Call(str(number), TASK, response="x" * 10_000) for number in range(20)]

    async def run() -> int:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), SETTINGS) as sandbox:
            return len([one async for one in sandbox.judge(equal_source, calls)])

    assert run_by_hand(run()) == 20


def test_a_call_that_no_frame_holds_is_told_so(equal_source: Source) -> None:
    async def run() -> None:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), SETTINGS) as sandbox:
            call = Call("1", TASK, response="x" * (9 << 20))
            [one] = [one async for one in sandbox.judge(equal_source, [call])]
            assert one.verdict.error is not None
            assert one.verdict.error.kind is ErrorKind.OUTPUT

    run_by_hand(run())


def test_a_reply_that_we_cannot_read_by_our_own_fault_is_the_hosts(
    equal_source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(scoring_stream, "verdict_of", broken)

    async def run() -> None:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), SETTINGS) as sandbox:
            verdicts = [one.verdict async for one in sandbox.judge(equal_source, [Call("1", TASK, response="")] * 3)]
            assert [verdict.error.kind for verdict in verdicts if verdict.error] == [ErrorKind.HOST] * 3

    run_by_hand(run())


def test_many_streams_of_one_release_share_one_limit_in_bytes(equal_source: Source) -> None:
    """Each stream has a limit of its own; without one for the queue, many streams together would fill the memory."""
    settings = SandboxSettings(replay_fraction=0.0, queue_mb=1, boxes_per_package=1)
    size, streams = 400_000, 20
    most = 0

    async def one(name: str) -> AsyncIterator[Call]:
        for number in range(2):
            yield Call(f"{name}-{number}", TASK, response="x" * size)

    async def run() -> int:
        nonlocal most
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), settings) as sandbox:
            dispatcher = sandbox.pool.verifier_dispatcher(equal_source)
            submit = dispatcher.submit

            def noted(calls: Iterable[QueuedCall]) -> None:
                nonlocal most
                submit(calls)
                most = max(most, sum(len(call.payload) for call in dispatcher.queue._calls))

            dispatcher.submit = noted  # type: ignore[method-assign]
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_count(sandbox.judge(equal_source, one(str(n))))) for n in range(streams)]
            assert dispatcher.queue._bytes == 0
            return sum(task.result() for task in tasks)

    assert run_by_hand(run()) == 2 * streams
    assert most < (1 << 20) + 2 * size


async def _count(judged: AsyncIterator[object]) -> int:
    return len([one async for one in judged])


def test_an_error_of_the_source_comes_after_the_verdicts_of_what_it_gave_before(equal_source: Source) -> None:
    async def breaks() -> AsyncIterator[Call]:
        yield Call("1", TASK, response="2")
        raise ValueError("the source broke")

    async def run() -> str:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), SETTINGS) as sandbox:
            judged = sandbox.judge(equal_source, breaks())
            first = await anext(judged)
            with pytest.raises(ValueError, match="the source broke"):
                await anext(judged)
        return first.id

    assert run_by_hand(run()) == "1"


def test_the_verdicts_of_a_group_come_to_the_reader_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Sample("", isolation="batch").source(tmp_path)
    steps: list[int] = []
    put_all = Channel.put_all

    def noted(channel: Channel[Any], items: Sequence[Any]) -> None:
        steps.append(len(items))
        put_all(channel, items)

    monkeypatch.setattr(Channel, "put_all", noted)
    settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=1, batch_calls=32)
    calls = [Call(str(number), TASK, response="2") for number in range(64)]

    async def run() -> int:
        async with Sandbox(ScriptedBackend(judges_with_much_to_say), settings) as sandbox:
            return await _count(sandbox.judge(source, calls))

    assert run_by_hand(run()) == 64
    assert (steps[0], sum(steps)) == (32, 64)
