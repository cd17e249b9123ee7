"""Metrics: valid text, every promised name, numbers that agree with what was done."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import sandbox
from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.guest import frames
from sandbox.host.call_group_run import CallGroupResult
from sandbox.host.metrics import COUNTERS, TIMES, SandboxMetrics
from sandbox.interface import BoxUsage, Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

CODE = "def verify(task, response):\n    return {'correct': float(response == '1')}\n"


def parsed(text: str) -> Samples:
    """Sample name and labels -> value, by the library's own parser."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"verihub_sandbox_{name}", tuple(sorted(labels.items()))]


def test_what_was_done_is_what_is_told(tmp_path: Path) -> None:
    source = Sample(CODE, name="told", isolation="batch").source(tmp_path)
    answers = iter(range(10_000))

    async def run() -> str:
        backend = ScriptedBackend(lambda response: {"correct": float(next(answers) % 2)}, losses=[2])
        knobs = SandboxSettings(replay_fraction=1.0, boxes_per_package=1, batch_calls=4)
        async with Sandbox(backend, knobs) as sandbox:
            async for _ in sandbox.score(source, [Call(str(i), TASK, response="1") for i in range(9)]):
                pass
            while sandbox.replays(source).pending:  # noqa: ASYNC110 -- nothing tells when a replay is done
                await asyncio.sleep(0.01)
            async for _ in sandbox.score(source, [Call("x", TASK, response="1")], isolation=Isolation.CALL):
                pass
            return sandbox.render_metrics()

    samples = parsed(asyncio.run(run()))
    package = {"package": "sample/told"}
    done = sum(v for (name, _), v in samples.items() if name == "verihub_sandbox_calls_total")
    assert done == 9 + 9 + 1
    assert value(samples, "boxes_lost_total", **package) == 1
    assert value(samples, "boxes_opened_total", **package) == 2
    assert value(samples, "replays_total", **package) == 9
    assert value(samples, "replay_mismatches_total", **package) >= 1
    assert value(samples, "boxes", state="idle") == 1
    assert value(samples, "wipes_total", **package) > 0
    for what in TIMES:
        assert value(samples, f"{what}_seconds", **package, quantile="0.95") >= 0
        assert value(samples, f"{what}_seconds_count", **package) > 0
    assert value(samples, "total_seconds_sum", **package) >= value(samples, "queue_seconds_sum", **package)


def test_every_counter_has_a_help_text_and_a_name_that_can_be_told() -> None:
    metrics = SandboxMetrics()
    for name, (labels, _) in COUNTERS.items():
        metrics.count(name, *('a "quoted"\n\\label' for _ in labels))
    families = {family.name: family for family in text_string_to_metric_families(metrics.render())}
    for name in COUNTERS:
        family = families[f"verihub_sandbox_{name}"]
        assert family.documentation
        assert [sample.value for sample in family.samples] == [1.0]
        assert all(text == 'a "quoted"\n\\label' for sample in family.samples for text in sample.labels.values())


def test_what_operators_were_promised_is_named_before_anything_has_happened() -> None:
    names = {
        family.name.removeprefix("verihub_sandbox_")
        for family in text_string_to_metric_families(SandboxMetrics().render())
    }
    calls = {"calls", "calls_masked", "cpu_microseconds", "call_max_rss_bytes"}
    times = {"queue_seconds", "service_seconds", "total_seconds"}
    boxes = {"boxes", "box_cpu_microseconds", "box_memory_bytes", "box_peak_memory_bytes", "recycled", "recycled_dirty"}
    rest = {"leftover_processes", "wipes", "orphans_reaped", "replay_mismatches", "engine_errors", "oom_kills"}
    assert calls | times | boxes | rest <= names


def test_nothing_is_counted_under_a_name_that_is_not_declared() -> None:
    import re  # noqa: PLC0415 -- this test alone reads sources

    folder = Path(sandbox.__file__).parent
    counted = {
        name for path in folder.rglob("*.py") for name in re.findall(r'etrics\.count\(\s*"(\w+)"', path.read_text())
    }
    assert {"boxes_lost", "replays", "sessions"} <= counted
    assert counted <= set(COUNTERS)


@pytest.mark.docker
def test_cpu_and_memory_of_boxes_come_from_their_cgroups(docker_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    code = "def verify(task, response):\n    x = bytearray(b'x') * (30 << 20)\n    n = 0\n    while n < 400_000: n += 1\n    return {'correct': 1.0}\n"
    source = Sample(code, name="spends").source(tmp_path)
    assert [v.error for _, v in docker_sandbox.score(source, [Call("1", TASK, response="")])] == [None]
    first = parsed(docker_sandbox.inner.render_metrics())
    package = {"package": "sample/spends"}
    spent = value(first, "box_cpu_microseconds_total", **package)
    assert 20_000 < spent < 60e6
    assert 30 << 20 < value(first, "box_peak_memory_bytes", **package) < 2 << 30
    assert 1 << 20 < value(first, "box_memory_bytes", **package) < 1 << 30
    assert value(first, "call_max_rss_bytes", **package) > 30 << 20
    list(docker_sandbox.score(source, [Call(str(i), TASK, response="") for i in range(5)]))
    second = parsed(docker_sandbox.inner.render_metrics())
    assert value(second, "box_cpu_microseconds_total", **package) > spent


# -- known numbers ---------------------------------------------------------------------------------------------------


def result(**more: Any) -> CallGroupResult:
    return CallGroupResult(
        **{
            "status": frames.FINISHED,
            "detail": 0,
            "replies": [],
            "wall_us": 4_000_000,
            "cpu_us": 7,
            "max_rss_kb": 100,
            **more,
        }
    )


def ended(
    metrics: SandboxMetrics,
    *,
    package: str = "a/b",
    count: int = 4,
    level: int = frames.BATCH,
    queue: float = 0.5,
    **more: Any,
) -> None:
    metrics.group_ended(package, level, result(**more), count, queue_seconds=queue, total_seconds=2.0)


def test_the_percentiles_of_a_hundred_times_are_the_times_at_their_places() -> None:
    metrics = SandboxMetrics()
    for number in reversed(range(100)):
        ended(metrics, queue=float(number))
    assert metrics.percentiles("queue", "a/b") == {"p50": 50.0, "p95": 95.0, "p99": 99.0}
    assert metrics.percentiles("service", "a/b") == {"p50": 1.0, "p95": 1.0, "p99": 1.0}, "4 s for 4 calls"
    assert metrics.percentiles("queue", "another") == {}


def test_one_time_is_every_percentile_and_the_latest_push_out_the_oldest() -> None:
    metrics = SandboxMetrics()
    ended(metrics, queue=3.0)
    assert metrics.percentiles("queue", "a/b") == {"p50": 3.0, "p95": 3.0, "p99": 3.0}
    for _ in range(2048):
        ended(metrics, queue=1.0)
    assert metrics.percentiles("queue", "a/b") == {"p50": 1.0, "p95": 1.0, "p99": 1.0}
    samples = parsed(metrics.render())
    assert value(samples, "queue_seconds_count", package="a/b") == 2049
    assert value(samples, "queue_seconds_sum", package="a/b") == 2051.0, (
        "sums are of all times, percentiles of the latest"
    )


def test_times_are_kept_of_so_many_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package has 2,048 times of each of three kinds, and a hub has packages without number."""
    monkeypatch.setattr("sandbox.host.metrics._KEPT_SERIES", 3 * 2)
    metrics = SandboxMetrics()
    for package in ("a/b", "c/d", "a/b", "e/f"):
        ended(metrics, package=package)
    known = {package for package in ("a/b", "c/d", "e/f") if metrics.percentiles("queue", package)}
    assert known == {"a/b", "e/f"}
    assert value(parsed(metrics.render()), "queue_seconds_count", package="c/d") == 1, "what is counted stays"


def test_a_group_that_broke_off_has_no_service_time_and_counts_under_how_it_ended() -> None:
    metrics = SandboxMetrics()
    ended(metrics, status=frames.TIMED_OUT, count=3)
    ended(metrics, problem="a frame too many", count=2)
    ended(metrics, status=250, count=5)  # what no guest of ours says
    assert metrics.percentiles("service", "a/b") != {}, "the second finished, as far as its status goes"
    assert metrics.total("calls", "a/b", "batch", "timeout") == 3
    assert metrics.total("calls", "a/b", "batch", "protocol") == 7
    assert metrics.total("calls", "a/b") == metrics.total("calls") == 10


def test_memory_is_the_most_and_processor_time_the_sum() -> None:
    metrics = SandboxMetrics()
    for kilobytes in (100, 900, 300):
        ended(metrics, max_rss_kb=kilobytes)
    samples = parsed(metrics.render())
    assert value(samples, "call_max_rss_bytes", package="a/b") == 900 * 1024
    assert value(samples, "cpu_microseconds_total", package="a/b", level="batch") == 21


def test_a_box_is_wiped_after_a_group_but_not_between_those_of_a_worker() -> None:
    metrics = SandboxMetrics()
    ended(metrics)
    ended(metrics, level=frames.WORKER)
    ended(metrics, is_dirty=True, leftover_processes=3)
    assert (metrics.total("wipes"), metrics.total("unwiped"), metrics.total("leftover_processes")) == (1, 1, 3)


def test_memory_of_boxes_is_summed_by_package_and_its_peak_is_the_highest() -> None:
    usages = [("a/b", BoxUsage(1.0, 10, 30, 0)), ("c/d", BoxUsage(1.0, 5, 5, 0)), ("a/b", BoxUsage(2.0, 20, 20, 1))]
    samples = parsed(SandboxMetrics().render({"idle": 2, "busy": 1}, usages))
    assert value(samples, "box_memory_bytes", package="a/b") == 30
    assert value(samples, "box_peak_memory_bytes", package="a/b") == 30
    assert value(samples, "box_memory_bytes", package="c/d") == 5
    assert value(samples, "boxes", state="idle") == 2


def test_a_name_is_no_part_of_a_longer_one() -> None:
    metrics = SandboxMetrics()
    metrics.count("replays", "a/b", by=2)
    metrics.count("replay_mismatches", "a/b")
    metrics.count("replays", "a/bc", by=5)
    assert metrics.total("replays", "a/b") == 2
