"""The floor beside calls that come one by one: plain processes that judge everything, and fork for what has come."""

import asyncio
from collections.abc import AsyncIterator

from sandbox.checks.benches.singly import _TOGETHER, _PlainProcesses, _together
from sandbox.checks.samples import TASK
from schemas.verdict import ScoreRequest


def request(number: int) -> ScoreRequest:
    return ScoreRequest(id=str(number), task=TASK, response="2")


async def requests(count: int) -> AsyncIterator[ScoreRequest]:
    for number in range(count):
        await asyncio.sleep(0)
        yield request(number)


def test_plain_processes_judge_every_request_once_and_can_be_asked_again() -> None:
    async def run() -> None:
        async with _PlainProcesses() as plain:
            for count in (1, 3 * _TOGETHER + 1, 0):
                judged = [ident async for ident in plain.judge(requests(count))]
                assert sorted(judged, key=int) == [str(number) for number in range(count)]

    asyncio.run(run())


def test_who_is_idle_takes_what_is_there_and_leaves_the_end_for_the_others() -> None:
    async def run() -> None:
        queue: asyncio.Queue[ScoreRequest | None] = asyncio.Queue()
        for number in range(_TOGETHER + 2):
            queue.put_nowait(request(number))
        queue.put_nowait(None)
        assert len(await _together(queue)) == _TOGETHER
        assert [one.id for one in await _together(queue)] == [str(_TOGETHER), str(_TOGETHER + 1)]
        assert await _together(queue) == []
        assert await _together(queue) == []

    asyncio.run(run())
