"""The sandbox's metrics: calls, outcomes, times and boxes, rendered as Prometheus text."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping

from cachetools import LRUCache
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.registry import Collector

from sandbox.guest import frames
from sandbox.host.call_group_run import CallGroupResult
from sandbox.interface import BoxUsage

_OUTCOMES = ("ok", "timeout", "signal", "exit", "output", "memory", "returned", "protocol")
_LEVELS = ("worker", "batch", "call")
_KEPT = 2048  # percentiles are taken over this many latest times
_KEPT_SERIES = 3 * 512  # a package has three; the oldest packages are dropped first
_PREFIX = "verihub_sandbox_"

COUNTERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "calls": (("package", "level", "outcome"), "Calls that ended in a box, by how their process ended."),
    "calls_masked": (("package",), "Calls without a verdict because of this host, after all retries."),
    "cpu_microseconds": (("package", "level"), "CPU time of calls' own processes (none is known at level worker)."),
    "box_cpu_microseconds": (("package",), "CPU time of whole boxes, from their cgroups."),
    "leftover_processes": (("package",), "Processes that calls left behind, killed."),
    "wipes": (("package",), "Times that a box was emptied after a call group."),
    "unwiped": (("package",), "Times that a box could not be emptied, and was replaced."),
    "recycled": (
        ("package",),
        "Boxes replaced because of their age, their number of calls, or processes left behind.",
    ),
    "recycled_dirty": (("package",), "Boxes replaced because they could not be cleaned."),
    "cancelled_boxes": (("package",), "Boxes ended because nobody wanted their calls any more."),
    "boxes_opened": (("package",), "Boxes opened."),
    "boxes_lost": (("package",), "Boxes that died, or stopped answering, while they worked."),
    "boxes_retired": ((), "Boxes ended because they were idle."),
    "oom_kills": (("package",), "Processes in boxes that the kernel killed for memory."),
    "engine_errors": (("package",), "Times that the engine would not give a box."),
    "orphans_reaped": ((), "Boxes of dead owners, removed."),
    "replays": (("package",), "Calls run again one level up, to compare."),
    "replay_mismatches": (("package",), "Calls that were judged otherwise when they shared less."),
    "sessions": (("package",), "Sessions opened."),
    "session_replays": (("package",), "Sessions done again from their seed and actions."),
    "session_replay_mismatches": (("package",), "Sessions that went otherwise the second time."),
}
TIMES: Mapping[str, str] = {
    "queue": "Seconds that a call group waited for a box; the latest.",
    "service": "Seconds that a call took in its box (a call group's, divided by its calls); the latest.",
    "total": "Seconds from a call's submission to the end of its call group; the latest.",
}


class SandboxMetrics:
    """Counters and recent times by package. Always on, since it costs only a few additions for each call group."""

    def __init__(self) -> None:
        self.counters: Counter[tuple[str, ...]] = Counter()
        self._times: LRUCache[tuple[str, str], deque[float]] = LRUCache(_KEPT_SERIES)
        self._sums: dict[tuple[str, str], tuple[int, float]] = {}
        self.max_rss_kb: dict[str, int] = {}

    def count(self, name: str, *labels: str, by: int = 1) -> None:
        """Add ``by`` to a counter."""
        self.counters[(name, *labels)] += by

    def group_ended(
        self,
        package: str,
        level: int,
        result: CallGroupResult,
        call_count: int,
        *,
        queue_seconds: float,
        total_seconds: float,
    ) -> None:
        """Record the end of one call group: outcome, CPU time, leftover processes, and seconds in the queue and in
        all.
        """
        outcome = "protocol" if result.problem else _OUTCOMES[min(result.status, len(_OUTCOMES) - 1)]
        self.counters["calls", package, _LEVELS[level], outcome] += call_count
        self.counters["cpu_microseconds", package, _LEVELS[level]] += result.cpu_us
        if result.leftover_processes:
            self.counters["leftover_processes", package] += result.leftover_processes
        if result.is_dirty:
            self.counters["unwiped", package] += 1
        elif level != frames.WORKER:
            self.counters["wipes", package] += 1
        self.max_rss_kb[package] = max(self.max_rss_kb.get(package, 0), result.max_rss_kb)
        self._time("queue", package, queue_seconds)
        self._time("total", package, total_seconds)
        if result.status == frames.FINISHED:
            self._time("service", package, result.wall_us / 1e6 / call_count)

    def _time(self, what: str, package: str, seconds: float) -> None:
        key = what, package
        times = self._times.get(key)
        if times is None:
            times = self._times[key] = deque(maxlen=_KEPT)
        times.append(seconds)
        count, total = self._sums.get(key, (0, 0.0))
        self._sums[key] = count + 1, total + seconds

    def percentiles(self, what: str, package: str) -> dict[str, float]:
        """``{"p50", "p95", "p99"}`` in seconds of the latest times; empty without any."""
        times = sorted(self._times.get((what, package), ()))
        if not times:
            return {}
        return {f"p{p}": times[min(len(times) - 1, int(len(times) * p / 100))] for p in (50, 95, 99)}

    def total(self, name: str, *labels: str) -> int:
        """The sum of a counter over all labels that are not given."""
        wanted = (name, *labels)
        return sum(value for key, value in self.counters.items() if key[: len(wanted)] == wanted)

    def render(
        self,
        boxes_by_state: Mapping[str, int] | Iterable[tuple[str, int]] = (),
        usages: Iterable[tuple[str, BoxUsage]] = (),
    ) -> str:
        """Prometheus text format 0.0.4. ``usages``: package and present resource usage of each live box."""
        families = [*self._counter_families(), *self._time_families(), *_usage_families(list(usages))]
        families.append(
            _gauge("boxes", "Boxes by state.", ("state",), [((k,), v) for k, v in dict(boxes_by_state).items()])
        )
        rss = [((package,), kilobytes * 1024) for package, kilobytes in sorted(self.max_rss_kb.items())]
        families.append(_gauge("call_max_rss_bytes", "Most memory that one call's process had.", ("package",), rss))
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(families))
        return generate_latest(registry).decode()

    def _counter_families(self) -> Iterable[Metric]:
        for name, (label_names, words) in COUNTERS.items():
            family = Metric(_PREFIX + name, words, "counter")
            rows = [(key[1:], value) for key, value in sorted(self.counters.items()) if key[0] == name]
            if not label_names and not rows:
                rows = [((), 0)]
            for labels, value in rows:
                family.add_sample(f"{_PREFIX}{name}_total", dict(zip(label_names, labels, strict=True)), value)
            yield family

    def _time_families(self) -> Iterable[Metric]:
        for what, words in TIMES.items():
            name = f"{_PREFIX}{what}_seconds"
            family = Metric(name, words, "summary")
            for (_, package), (count, total) in sorted((k, v) for k, v in self._sums.items() if k[0] == what):
                for quantile, seconds in self.percentiles(what, package).items():
                    family.add_sample(name, {"package": package, "quantile": f"0.{quantile[1:]}"}, seconds)
                family.add_sample(f"{name}_count", {"package": package}, count)
                family.add_sample(f"{name}_sum", {"package": package}, total)
            yield family


class _Collected(Collector):
    """The metric families, in the form that the library asks for."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _usage_families(usages: list[tuple[str, BoxUsage]]) -> Iterable[Metric]:
    """Memory of live boxes by package."""
    now: Counter[str] = Counter()
    peak: dict[str, int] = {}
    for package, usage in usages:
        now[package] += usage.memory_bytes
        peak[package] = max(peak.get(package, 0), usage.peak_memory_bytes)
    yield _gauge(
        "box_memory_bytes", "Memory of all boxes now.", ("package",), [((p,), v) for p, v in sorted(now.items())]
    )
    yield _gauge(
        "box_peak_memory_bytes", "Most that a box has had.", ("package",), [((p,), v) for p, v in sorted(peak.items())]
    )


def _gauge(name: str, words: str, label_names: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], int]]) -> Metric:
    family = Metric(_PREFIX + name, words, "gauge")
    for labels, value in rows:
        family.add_sample(_PREFIX + name, dict(zip(label_names, labels, strict=True)), value)
    return family
