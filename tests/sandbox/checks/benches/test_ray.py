"""Rates and CPU time beside Ray on known numbers. Ray itself is not there: a module of that name stands in for it."""

import asyncio
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from sandbox.checks import benches
from sandbox.checks.samples import TASK
from sandbox.interface import Call, Source
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.timed_sandbox import Ticks, TimedSandbox

NAME = "sandbox.checks.benches.ray"


class FakeCluster:
    """Notes its nodes and its end."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.nodes: list[dict[str, Any]] = []
        self.is_down = False

    def add_node(self, **options: Any) -> None:
        self.nodes.append(options)

    def shutdown(self) -> None:
        self.is_down = True


def module(name: str, **content: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(content)
    return made


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    patch = pytest.MonkeyPatch()
    fakes = (
        module("ray", shutdown=lambda: None),
        module("ray.cluster_utils", Cluster=FakeCluster),
        module("sandbox.cluster.links.ray", RESOURCE="verihub_sandbox", RayCluster=object),
    )
    for fake in fakes:
        patch.setitem(sys.modules, fake.__name__, fake)
    patch.delitem(sys.modules, NAME, raising=False)
    patch.setattr(benches, "ray", None, raising=False)
    made = importlib.import_module(NAME)
    yield made
    del sys.modules[NAME]
    patch.undo()


@pytest.fixture
def ticks(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Ticks:
    made = Ticks()
    monkeypatch.setattr(bench, "time", made)
    return made


@pytest.fixture
def source(bench: Any, tmp_path: Path) -> Source:
    made: Source = bench.EQUAL.source(tmp_path)
    return made


def test_rates_are_the_best_of_each_and_cpu_time_is_that_of_one_call(
    bench: Any, ticks: Ticks, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = TimedSandbox(ticks, [0.1] * 10 + [0.05] * 10 + [0.2] * 10, cpu_seconds=0.001)
    over_ray = TimedSandbox(ticks, [0.4] * 10 + [0.1] * 10 + [0.2] * 10, cpu_seconds=0.002)
    over_ray.nodes = SimpleNamespace(alive=[SimpleNamespace(facts=SimpleNamespace(pid=77))])  # type: ignore[attr-defined]
    moments = {77: iter([0.0, 0.3, 1.0, 1.3, 5.0, 5.6])}
    monkeypatch.setattr(bench, "_cpu_seconds", lambda pid: next(moments[pid]))
    assert asyncio.run(bench._compared(direct, over_ray, source, Isolation.WORKER, 10)) == pytest.approx(
        {
            "worker_direct_calls_per_second": 20.0,
            "worker_ray_calls_per_second": 10.0,
            "worker_ray_to_direct_ratio": 0.5,
            "worker_direct_us_per_call": 1000.0,
            "worker_driver_us_per_call": 2000.0,
            "worker_node_us_per_call": 40_000.0,
        }
    )


def test_a_round_trip_is_the_median_in_milliseconds(bench: Any, ticks: Ticks, source: Source) -> None:
    sandbox = TimedSandbox(ticks, [0.010] * 51 + [9.0] * 49)
    assert asyncio.run(bench._round_trip(sandbox, source)) == pytest.approx(10.0)
    assert len(sandbox.judged) == 100
    assert {level for _, level in sandbox.judged} == {Isolation.CALL}


@pytest.mark.parametrize(
    "more",
    [
        {"verdict": lambda _: Verdict(rewards={"correct": 1.0})},
        {"verdict": lambda _: Verdict.unjudged(["correct"], ErrorKind.HOST, "node lost")},
        {"lost": 1},
    ],
    ids=["generous", "unjudged", "lost"],
)
def test_wrong_verdicts_have_no_rate(bench: Any, ticks: Ticks, source: Source, more: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        asyncio.run(bench._rate(TimedSandbox(ticks, **more), source, Isolation.CALL, 9))


def test_both_packages_say_what_the_bench_expects_of_them(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for sample in (bench.EQUAL, bench.WAITING):
        scope: dict[str, Any] = {}
        exec(sample.code, scope)
        if "time" in scope:
            scope["time"] = SimpleNamespace(sleep=lambda _: None)
        calls = [Call(str(number), TASK, response=str(number % 3)) for number in range(6)]
        assert [scope["verify"](call.task, call.response) for call in calls] == [*bench._RIGHT] * 2


def test_cpu_time_of_a_process_is_user_and_system_time_whatever_its_name(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = os.sysconf("SC_CLK_TCK")
    line = f"7 (a ) (odd) name) S 1 7 7 0 -1 4194304 10 11 12 13 {3 * second} {second // 2} 88 99 20 0 1 0 5\n"
    monkeypatch.setattr(bench, "Path", lambda path: {"/proc/7/stat": SimpleNamespace(read_text=lambda: line)}[path])
    assert bench._cpu_seconds(7) == pytest.approx(3.5)


def test_the_head_offers_no_sandbox_its_one_node_does_and_both_end_with_the_measurement(bench: Any) -> None:
    def measure() -> None:
        with bench._cluster() as made:
            seen.append(made)
            raise ZeroDivisionError

    seen: list[FakeCluster] = []
    with pytest.raises(ZeroDivisionError):
        measure()
    [cluster] = seen
    assert cluster.options["initialize_head"]
    assert cluster.options["head_node_args"]["num_cpus"] == 0
    assert "resources" not in cluster.options["head_node_args"]
    assert [node["resources"] for node in cluster.nodes] == [{"verihub_sandbox": 1}]
    assert cluster.is_down
