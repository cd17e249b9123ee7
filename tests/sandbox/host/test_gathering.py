"""Calls that come one by one while a box is busy share its next fork."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.guest import frames
from sandbox.interface import Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import Say, ToldBackend, answer_all

SETTINGS = SandboxSettings(replay_fraction=0.0, boxes_per_package=1, batch_calls=16)


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
