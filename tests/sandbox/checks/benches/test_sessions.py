"""What live sessions cost: the arithmetic on known numbers, and the session that is measured."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.benches import sessions as bench
from sandbox.checks.samples import Sample
from sandbox.interface import Source
from tests.fakes.timed_sandbox import Ticks, TimedSessions


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(bench, "time", made)
    monkeypatch.setattr(bench, "_DYING_SECONDS", 0)
    return made


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Sample("", name="timed").source(tmp_path)


def test_times_are_in_milliseconds_and_cpu_time_is_that_of_the_releases_own_boxes(ticks: Ticks, source: Source) -> None:
    rounds = 20
    rising = [number / 1000 for number in range(rounds, 0, -1)]  # 20 ms, …, 2 ms, 1 ms
    house = TimedSessions(ticks, open=[5.0], reset=[5.0], close=[5.0], step=rising, branch=[0.004], undo=[0.002])
    figures = asyncio.run(bench.large_sessions(house, source, "50mb", rounds))  # type: ignore[arg-type]
    assert figures == pytest.approx(
        {
            "step_50mb_best_ms": 1.0,
            "step_50mb_p50_ms": 10.5,
            "step_50mb_p95_ms": 20.0,
            "step_50mb_cpu_ms": 5.25,
            "branch_50mb_best_ms": 4.0,
            "branch_50mb_p50_ms": 4.0,
            "branch_50mb_p95_ms": 4.0,
            "branch_50mb_cpu_ms": 2.0,
            "undo_50mb_best_ms": 2.0,
            "undo_50mb_p50_ms": 2.0,
            "undo_50mb_p95_ms": 2.0,
            "undo_50mb_cpu_ms": 1.0,
        }
    )
    assert house.opened == 1 + rounds
    assert house.live == [], "every branch is closed"


def test_many_sessions_are_opened_stepped_and_closed_each_with_its_time_and_memory(
    ticks: Ticks, source: Source
) -> None:
    house = TimedSessions(ticks, open=[0.5], reset=[0.25], step=[0.125], close=[0.0625])
    assert asyncio.run(bench.many_sessions(house, source, 4)) == {  # type: ignore[arg-type]
        "live_sessions": 4.0,
        "session_boxes": 3.0,
        "sessions_open_seconds": 3.0,
        "sessions_step_all_seconds": 0.5,
        "sessions_close_seconds": 0.25,
        "session_memory_mb": 2.0,
        "session_memory_after_a_step_mb": 3.0,
    }
    assert house.live == []


def test_sessions_with_a_wrong_state_are_not_timed(ticks: Ticks, source: Source) -> None:
    with pytest.raises(AssertionError):
        asyncio.run(bench.many_sessions(TimedSessions(ticks, forgets=True), source, 2))  # type: ignore[arg-type]


def test_the_session_holds_what_is_asked_and_a_step_writes_all_over_its_block(tmp_path: Path) -> None:
    sample = bench.sample("large", 1, 3)
    assert str(sample.source(tmp_path).manifest.session) == "sample_large:Session"
    scope: dict[str, Any] = {}
    exec(sample.code, scope)
    session = scope["Session"]()
    session.reset({}, 7)
    before = bytes(session.block)
    assert (len(before), session.objects) == (1 << 20, [[0, "0"], [1, "1"], [2, "2"]])
    assert session.step(bench.MESSAGE) == {"messages": [{"role": "user", "content": "2"}], "done": False}
    assert [place for place in range(1 << 20) if before[place] != session.block[place]] == list(
        range(0, 1 << 20, 1 << 16)
    )
    assert session.state() == {"steps": 1}
