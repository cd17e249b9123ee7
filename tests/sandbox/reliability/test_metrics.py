"""Metrics: valid text, every promised name, numbers that agree with what was done."""

import asyncio
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import sandbox
from sandbox.backends.docker.cgroups import read_usage
from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.host.metrics import COUNTERS, TIMES, SandboxMetrics
from sandbox.interface import Call
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


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_usage_is_read_from_either_version_of_cgroups(tmp_path: Path) -> None:
    two, one = tmp_path / "two", tmp_path / "one"
    write(
        two / "system.slice" / "docker-abc.scope",
        memory__current="5000\n",
        memory__peak="9000\n",
        memory__stat="anon 3\ninactive_file 1000\n",
        cpu__stat="usage_usec 2500000\nuser_usec 1\n",
        memory__events="low 0\noom_kill 2\n",
    )
    write(
        one / "memory" / "docker" / "abc",
        memory__usage_in_bytes="5000\n",
        memory__max_usage_in_bytes="9000\n",
        memory__stat="cache 1\ntotal_inactive_file 1000\n",
        memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    )
    write(one / "cpuacct" / "docker" / "abc", cpuacct__usage="2500000000\n")
    for root in (one, two):
        usage = read_usage("abc", root)
        assert usage is not None
        assert (usage.cpu_seconds, usage.memory_bytes, usage.peak_memory_bytes, usage.oom_kills) == (2.5, 4000, 9000, 2)
        assert read_usage("other", root) is None
