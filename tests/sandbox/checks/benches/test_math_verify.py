"""What math-verify costs in groups of sixteen: the arithmetic on known numbers, and the package that is measured."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox.checks.benches import math_verify as bench
from sandbox.checks.samples import Sample
from sandbox.interface import Call, Source
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.timed_sandbox import Ticks, TimedSandbox


def right(call: Call) -> Verdict:
    return Verdict(rewards={"correct": float(f"\\boxed{{{call.task['answer']}}}" in (call.response or ""))})


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(bench, "time", made)
    return made


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Sample("verify = None\n").source(tmp_path)


def test_the_rate_is_calls_a_second(ticks: Ticks, source: Source) -> None:
    sandbox = TimedSandbox(ticks, [0.5], verdict=right)
    assert asyncio.run(bench._rate(sandbox, source, bench.usual_calls(20))) == pytest.approx(2.0)  # type: ignore[arg-type]
    assert {level for _, level in sandbox.judged} == {Isolation.BATCH}


def test_the_overhead_is_a_groups_time_less_that_of_the_authors_code_in_order(ticks: Ticks, source: Source) -> None:
    sandbox = TimedSandbox(ticks, [0.010, 0.030, 0.010, 0.010, 0.020, 0.010], verdict=right, milliseconds=4.0)
    times = asyncio.run(bench._overheads_ms(sandbox, source, 2, 3))  # type: ignore[arg-type]
    assert times == pytest.approx([12.0, 22.0, 32.0])


@pytest.mark.parametrize(
    "more",
    [
        {"verdict": lambda _: Verdict(rewards={"correct": 1.0})},
        {"verdict": lambda _: Verdict.unjudged(["correct"], ErrorKind.TIMEOUT, "late")},
        {"verdict": right, "lost": 1},
    ],
    ids=["generous", "late", "lost"],
)
def test_wrong_verdicts_are_not_timed(ticks: Ticks, source: Source, more: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        asyncio.run(bench._rate(TimedSandbox(ticks, **more), source, bench.usual_calls(16)))  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        asyncio.run(bench._overheads_ms(TimedSandbox(ticks, **more), source, 16, 1))  # type: ignore[arg-type]


def test_figures_are_the_best_of_three_rounds_with_all_boxes_and_then_with_one(
    monkeypatch: pytest.MonkeyPatch, source: Source
) -> None:
    boxes, warmed, sizes = [], [], []
    rates = iter([200.0, 700.0, 300.0])

    @asynccontextmanager
    async def sandbox(_: str, boxes_wanted: int | None = None, **more: int) -> AsyncIterator[Any]:
        boxes.append(more.get("boxes", boxes_wanted))

        async def warm(_: Source, count: int) -> None:
            warmed.append(count)

        yield SimpleNamespace(settings=SimpleNamespace(boxes_per_package=8), warm=warm)

    async def rate(_: Any, __: Source, calls: list[Call]) -> float:
        sizes.append(len(calls))
        return next(rates)

    rounds = iter([2.0, 1.0, 3.0] * 2)

    async def overheads(_: Any, __: Source, size: int, count: int) -> list[float]:
        factor = next(rounds)
        return [factor * number for number in range(count)]

    for name, fake in (("_sandbox", sandbox), ("_rate", rate), ("_overheads_ms", overheads)):
        monkeypatch.setattr(bench, name, fake)
    monkeypatch.setattr(bench, "math_verify_source", lambda _: source)
    assert asyncio.run(bench.measure_math_verify()) == {
        "math_verify_batch16_calls_per_second": 700.0,
        "batch_overhead_p50_ms": 50.0,
        "batch_overhead_p99_ms": 99.0,
        "batch16_group_overhead_p50_ms": 20.0,
        "batch16_group_overhead_p99_ms": 39.0,
    }
    assert (boxes, warmed, sizes) == ([None, 1], [8, 1], [640] * 3)


def test_one_box_takes_groups_of_sixteen() -> None:
    settings = bench._sandbox("local", boxes=1).settings
    assert (settings.boxes_per_package, settings.batch_calls, settings.replay_fraction) == (1, 16, 0.0)


def test_the_package_is_the_collections_with_the_wheels_that_pip_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = []

    def download(command: list[str], **_: Any) -> None:
        commands.append(command)
        folder = Path(command[command.index("-d") + 1])
        folder.mkdir()
        (folder / "math_verify-0.9.0-py3-none-any.whl").write_bytes(b"wheel")
        (folder / "antlr4_python3_runtime-4.13.2-py3-none-any.whl").write_bytes(b"other")
        (folder / "notes.txt").write_bytes(b"no wheel")

    monkeypatch.setattr(bench, "subprocess", SimpleNamespace(run=download, DEVNULL=-3, PIPE=-1))
    source = bench.math_verify_source(tmp_path)
    [command] = commands
    assert command[-1] == "math-verify==0.9.0"
    assert "--only-binary" in command, "nothing is built outside a box"
    assert [(wheel.name, wheel.version) for wheel in source.lock] == [
        ("antlr4-python3-runtime", "4.13.2"),
        ("math-verify", "0.9.0"),
    ]
    assert source.lock[1].sha256 == hashlib.sha256(b"wheel").hexdigest()
    assert source.manifest.sandbox.isolation is Isolation.BATCH
    assert source.manifest.audit
