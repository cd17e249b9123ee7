"""Calls that come one by one while a box is busy share its next fork."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.guest import frames
from sandbox.interface import Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import Say, ToldBackend, answer_all, reply

SETTINGS = SandboxSettings(replay_fraction=0.0, boxes_per_package=1, batch_calls=16)
TWO_BOXES = SETTINGS.model_copy(update={"boxes_per_package": 2})


@pytest.mark.parametrize(
    ("level", "groups"), [(Isolation.BATCH, [1, 10]), (Isolation.CALL, [1] * 11)], ids=["batch", "call"]
)
def test_calls_that_come_singly_while_a_box_is_busy_share_its_next_fork(
    tmp_path: Path, level: Isolation, groups: list[int]
) -> None:
    source = Sample("", isolation="worker").source(tmp_path)
    sent: list[int] = []
    waiting: list[Callable[[], None]] = []

    def answers_when_told(say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            sent.append(len(frames.unpack_run(payload)[2]))
            waiting.append(lambda: answer_all(say, ident, payload))

    async def run() -> int:
        async with Sandbox(ToldBackend(answers_when_told), SETTINGS, HandClock()) as sandbox:
            await sandbox.warm(source)
            streams = []
            for number in range(11):
                stream = sandbox.judge(source, [Call(str(number), TASK, response="2")], isolation=level)
                streams.append(asyncio.ensure_future(anext(stream)))
                await settled()
            while waiting:
                waiting.pop(0)()
                await settled()
            return len([await stream for stream in streams])

    assert run_by_hand(run()) == 11
    assert sent == groups


class TwoBoxes:
    """A fork takes 3 ms here and a call nothing, as two boxes have said; they end a group when they are told."""

    def __init__(self, folder: Path) -> None:
        self.clock = HandClock()
        self.sent: list[int] = []
        self._source = Sample("", isolation="worker").source(folder)
        self._waiting: list[Callable[[], None]] = []
        self._streams: list[asyncio.Future[None]] = []
        self._sandbox = Sandbox(ToldBackend(self._take), TWO_BOXES, self.clock)

    def _take(self, say: Say, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.RUN:
            self.sent.append(len(frames.unpack_run(payload)[2]))
            self._waiting.append(lambda: self._end(say, ident, payload))

    @staticmethod
    def _end(say: Say, ident: int, payload: bytes) -> None:
        for index in range(len(frames.unpack_run(payload)[2])):
            say(frames.CHUNK, ident, reply({"rewards": {"correct": 1.0}}, index))
        say(frames.DONE, ident, frames.OUTCOME.pack(frames.FINISHED, 0, 3000, 0, 0, 0, 0))

    async def judge(self, count: int) -> None:
        """So many calls, one by one."""
        for _ in range(count):
            self._streams.append(asyncio.ensure_future(self._judge_one()))
            await settled()

    async def _judge_one(self) -> None:
        calls = [Call("1", TASK, response="2")]
        async for one in self._sandbox.judge(self._source, calls, isolation=Isolation.BATCH):
            assert one.verdict.error is None

    async def end_all(self) -> None:
        while self._waiting:
            self._waiting.pop(0)()
            await settled()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        async with self._sandbox:
            await self._sandbox.warm(self._source, 2)
            for _ in range(100):  # until the pace is known
                await self.judge(1)
                await self.end_all()
            self.sent.clear()
            yield
            await self.end_all()
            await asyncio.gather(*self._streams)


def test_short_calls_beside_an_idle_box_wait_until_they_are_worth_a_fork(tmp_path: Path) -> None:
    async def run() -> None:
        boxes = TwoBoxes(tmp_path)
        async with boxes.opened():
            await boxes.judge(8)
            assert boxes.sent == [1]
            await boxes.judge(1)
            assert boxes.sent == [1, 8]

    run_by_hand(run())


def test_they_wait_no_longer_than_a_fork_takes_whatever_the_other_box_does(tmp_path: Path) -> None:
    async def run() -> None:
        boxes = TwoBoxes(tmp_path)
        async with boxes.opened():
            await boxes.judge(2)
            assert boxes.sent == [1]
            await boxes.clock.advance(0.003)
            assert boxes.sent == [1, 1]

    run_by_hand(run())


def test_short_calls_that_all_boxes_are_too_busy_for_wait_for_a_full_group_and_share_one_fork(tmp_path: Path) -> None:
    async def run() -> None:
        boxes = TwoBoxes(tmp_path)
        async with boxes.opened():
            await boxes.judge(1 + 8)
            await boxes.judge(15)
            assert boxes.sent == [1, 8]
            await boxes.judge(1)
            assert boxes.sent == [1, 8, 16], "not four forks of four"

    run_by_hand(run())
