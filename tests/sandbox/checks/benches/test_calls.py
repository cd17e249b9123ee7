"""Rates, percentiles and ratios of ``scripts/bench sandbox`` on known numbers; wrong verdicts are not timed."""

import asyncio
import subprocess
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.benches import calls as bench
from sandbox.interface import Call, Source
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.timed_sandbox import Ticks, TimedSandbox

WRONG: dict[str, Callable[[Call], Verdict]] = {
    "generous": lambda _: Verdict(rewards={"correct": 1.0}),
    "strict": lambda _: Verdict(rewards={"correct": 0.0}),
    "unjudged": lambda _: Verdict.unjudged(["correct"], ErrorKind.HOST, "lost"),
    "a null without an error": lambda _: Verdict(rewards={"correct": None}),
}


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(bench, "time", made)
    monkeypatch.setattr(bench, "_LEVELS", ((Isolation.WORKER, 10), (Isolation.BATCH, 5)))
    return made


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return bench.EQUAL.source(tmp_path)


def throughput(sandbox: Any, source: Source) -> dict[str, float]:
    return asyncio.run(bench._throughput(sandbox, source))


def test_the_rate_is_that_of_the_best_round_of_each_level(ticks: Ticks, source: Source) -> None:
    seconds = [0.2] * 10 + [0.1] * 10 + [0.4] * 10 + [1.0] * 5 + [2.0] * 5 + [0.5] * 5
    sandbox = TimedSandbox(ticks, seconds)
    assert throughput(sandbox, source) == pytest.approx({"worker_calls_per_second": 10, "batch32_calls_per_second": 2})
    assert [level for _, level in sandbox.judged] == [Isolation.WORKER] * 30 + [Isolation.BATCH] * 15


@pytest.mark.parametrize("verdict", WRONG.values(), ids=WRONG.keys())
def test_wrong_verdicts_have_no_rate(ticks: Ticks, source: Source, verdict: Any) -> None:
    with pytest.raises(AssertionError):
        throughput(TimedSandbox(ticks, verdict=verdict), source)


@pytest.mark.parametrize("reward", [0.0, None])
def test_a_wrong_verdict_has_no_latency(ticks: Ticks, source: Source, reward: float | None) -> None:
    sandbox = TimedSandbox(ticks, verdict=lambda _: Verdict(rewards={"correct": reward}))
    with pytest.raises(AssertionError):
        asyncio.run(bench._judge_one(sandbox, source, Isolation.CALL))  # type: ignore[arg-type]


def test_a_lost_verdict_is_not_a_fast_one(ticks: Ticks, source: Source) -> None:
    with pytest.raises(AssertionError):
        throughput(TimedSandbox(ticks, lost=1), source)


def test_latencies_are_the_best_median_and_the_best_99th_percentile_in_microseconds(
    ticks: Ticks, source: Source
) -> None:
    seconds = []
    for count in (400, 200, 100):
        rising = [number * 1e-6 for number in range(count, 0, -1)]  # microseconds: count, …, 2, 1
        hundredth = count // 100
        steady = [count * 0.95e-6] * hundredth + [count * 0.9e-6] * (count - hundredth)
        seconds += rising + steady + [2 * count * 1e-6] * count
    figures = asyncio.run(bench._latency(TimedSandbox(ticks, seconds), source))  # type: ignore[arg-type]
    assert figures == pytest.approx(
        {
            "worker_round_trip_p50_us": 200.5,
            "worker_round_trip_p99_us": 380,
            "batch_round_trip_p50_us": 100.5,
            "batch_round_trip_p99_us": 190,
            "call_round_trip_p50_us": 50.5,
            "call_round_trip_p99_us": 95,
        }
    )


def test_a_cold_start_is_of_a_release_never_seen_and_a_cold_box_is_the_median_of_five(
    ticks: Ticks, tmp_path: Path
) -> None:
    sandbox = TimedSandbox(ticks, [3.0, 0.5, 0.1, 0.2, 0.9, 0.4])
    figures = [asyncio.run(bench._cold(sandbox, tmp_path)) for _ in range(2)]  # type: ignore[arg-type]
    assert figures[0] == pytest.approx({"cold_first_verdict_seconds": 3.0, "cold_box_seconds": 0.4})
    assert [level for _, level in sandbox.judged[:6]] == [Isolation.CALL, *[Isolation.BOX] * 5]
    assert len({source.digest for source, _ in sandbox.judged}) == 2, "one release a run"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the arithmetic of the whole is done already."""

    def given(**figures: float) -> Callable[..., Any]:
        async def work(*_: Any) -> dict[str, float]:
            return figures

        return work

    monkeypatch.setattr(bench, "make_backend", lambda *_: ScriptedBackend(lambda response: {"correct": 1.0}))
    monkeypatch.setattr(bench, "_cold", given(cold_box_seconds=0.6))
    monkeypatch.setattr(bench, "_throughput", given(worker_calls_per_second=3000.0, call_calls_per_second=100.0))
    monkeypatch.setattr(bench, "_latency", given(call_round_trip_p50_us=7.0))
    monkeypatch.setattr(bench, "plain_floors", lambda: {"socket_echo_calls_per_second": 12_000.0})
    floors = {"create_start_seconds": 0.4, "guarded_forks_per_second": 400.0, "guarded_own_forks_per_second": 250.0}
    monkeypatch.setattr(bench, "docker_floors", lambda *_: floors)


@pytest.mark.usefixtures("measured")
def test_each_figure_stands_beside_the_floor_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "DockerBackend", ScriptedBackend)
    figures = asyncio.run(bench._measure("docker"))
    assert figures["worker_to_socket_echo_ratio"] == pytest.approx(0.25)
    assert figures["call_to_guarded_fork_ratio"] == pytest.approx(0.25)
    assert figures["call_to_guarded_own_fork_ratio"] == pytest.approx(0.4)
    assert figures["cold_to_create_start_ratio"] == pytest.approx(1.5)
    assert figures["own_max_rss_mb"] > 1


@pytest.mark.usefixtures("measured")
def test_without_an_engine_there_is_no_ratio_to_its_floors_and_another_runtime_has_its_own_names() -> None:
    figures = asyncio.run(bench._measure("local"))
    assert not [name for name in figures if "create_start" in name or "guarded" in name]
    beside = asyncio.run(bench._measure_beside("runsc"))
    assert beside["runsc_call_calls_per_second"] == 100.0
    assert all(name.startswith("runsc_") for name in beside)


def test_math_verify_that_cannot_be_fetched_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def measure(_: str) -> dict[str, float]:
        return {"worker_calls_per_second": 1.0}

    async def fetch() -> dict[str, float]:
        raise subprocess.CalledProcessError(1, "pip", stderr=b"Looking\nERROR: no network\n")

    monkeypatch.setattr(bench, "_measure", measure)
    monkeypatch.setattr(bench, "measure_math_verify", fetch)
    assert bench._figures(Namespace(backend="docker", beside=None)) == {"worker_calls_per_second": 1.0}
    assert capsys.readouterr().err == "math-verify was not measured: ERROR: no network\n"
