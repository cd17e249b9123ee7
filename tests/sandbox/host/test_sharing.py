"""How a few calls are shared among boxes: every box gets a part, and a part is one group."""

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.host.box import Box
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from tests.sandbox.host.test_dispatcher import judge


@pytest.fixture
def source(tmp_path: Path) -> Source:
    code = "def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n"
    return Sample(code, name="shared", isolation="worker").source(tmp_path)


async def groups_by_box(
    source: Source, boxes: int, count: int, isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> list[list[int]]:
    """The sizes of the groups that each warm box was sent."""
    sent: dict[Box, list[int]] = defaultdict(list)
    start = Box.start

    def watched(self: Box, groups: list[list[bytes]], *rest: Any) -> None:
        sent[self] += [len(group) for group in groups]
        start(self, groups, *rest)

    settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=boxes)
    async with Sandbox(ScriptedBackend(judge), settings) as sandbox:
        await sandbox.warm(source, boxes)
        with monkeypatch.context() as patched:
            patched.setattr(Box, "start", watched)
            calls = [Call(str(number), TASK, response="2") for number in range(count)]
            assert len([one async for one in sandbox.judge(source, calls, isolation=isolation)]) == count
    return sorted(sent.values())


def test_a_group_that_one_box_may_take_goes_out_in_one_fork(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(groups_by_box(source, 1, 16, Isolation.BATCH, monkeypatch)) == [[16]]


def test_two_idle_boxes_get_half_each(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(groups_by_box(source, 2, 16, Isolation.BATCH, monkeypatch)) == [[8], [8]]


@pytest.mark.parametrize("isolation", [Isolation.WORKER, Isolation.BATCH, Isolation.CALL])
def test_two_calls_do_not_wait_for_each_other(
    source: Source, monkeypatch: pytest.MonkeyPatch, isolation: Isolation
) -> None:
    assert asyncio.run(groups_by_box(source, 2, 2, isolation, monkeypatch)) == [[1], [1]]


def test_many_calls_fill_groups_to_their_limit(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = asyncio.run(groups_by_box(source, 2, 256, Isolation.BATCH, monkeypatch))
    assert sum(map(sum, sizes)) == 256
    assert max(map(max, sizes)) == 32
    assert sum(map(len, sizes)) <= 16
