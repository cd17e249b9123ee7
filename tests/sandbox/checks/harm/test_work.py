"""What counts as right, masked or wrong while harm is done."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.harm.work import Tally, judge_new_release, judge_numbers
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind, Verdict


def right(response: str) -> dict[str, float]:
    return {"correct": float(int(response) % 3 == 0)}


def judged(folder: Path, backend: ScriptedBackend, play: Callable[..., Any]) -> Tally:
    async def run() -> Tally:
        tally = Tally()
        async with Sandbox(backend, SandboxSettings(host_retries=0, replay_fraction=0.0)) as sandbox:
            await play(sandbox, folder, tally, random.Random(1))
        return tally

    return asyncio.run(run())


@pytest.mark.parametrize(("play", "count"), [(judge_numbers, 50), (judge_new_release, 6)])
def test_right_verdicts_are_counted_as_right(tmp_path: Path, play: Callable[..., Any], count: int) -> None:
    tally = judged(tmp_path, ScriptedBackend(right), play)
    assert (tally.calls, tally.right, tally.is_clean) == (count, count, True)


def test_a_lost_box_masks_and_is_no_wrong_verdict(tmp_path: Path) -> None:
    tally = judged(tmp_path, ScriptedBackend(right, losses=range(999)), judge_numbers)
    assert (tally.masked, tally.right, tally.is_clean) == (50, 0, True)
    assert sum(tally.reasons.values()) == 50


def test_one_wrong_number_and_one_verdict_that_blames_the_package_are_told(tmp_path: Path) -> None:
    def wrong_at_seven(response: str) -> dict[str, float]:
        if response == "8":
            raise ValueError("x")
        return {"correct": 1.0} if response == "7" else right(response)

    tally = judged(tmp_path, ScriptedBackend(wrong_at_seven), judge_numbers)
    assert (tally.wrong, tally.blamed, tally.right) == (1, 1, 48)
    assert not tally.is_clean
    assert any("'7' at " in line and "expected 0.0" in line for line in tally.first)


def test_a_zero_in_place_of_null_is_wrong_even_if_the_host_is_blamed() -> None:
    tally = Tally()
    verdict = Verdict.unjudged(["correct"], ErrorKind.HOST, "gone")
    tally.take("x", 1.0, verdict)
    tally.take("x", 1.0, Verdict(rewards={"correct": 0.0}))
    assert (tally.masked, tally.wrong) == (1, 1)
