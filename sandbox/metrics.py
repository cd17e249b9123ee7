"""What the sandbox counts: calls, outcomes, times, boxes; rendered as Prometheus text."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable

from sandbox.box import Ending
from sandbox.guest import frames

_OUTCOMES = ("ok", "timeout", "signal", "exit", "output", "memory", "returned", "protocol")
_LEVELS = ("worker", "batch", "call")
_KEPT = 2048  # latest times, of which the percentiles are taken


class Metrics:
    """Counters and recent times by package. Cheap enough to be always on: a few additions a group."""

    def __init__(self) -> None:
        self.counters: Counter[tuple[str, ...]] = Counter()
        self._times: dict[tuple[str, str], deque[float]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self.max_rss_kb: dict[str, int] = {}

    def count(self, name: str, *labels: str, by: int = 1) -> None:
        """Add ``by`` to a counter."""
        self.counters[(name, *labels)] += by

    def group_ended(self, package: str, level: int, ending: Ending, call_count: int, waited_seconds: float) -> None:
        """One group: its outcome, queue and service time, CPU, strays."""
        outcome = "protocol" if ending.problem else _OUTCOMES[min(ending.status, len(_OUTCOMES) - 1)]
        self.counters["calls", package, _LEVELS[level], outcome] += call_count
        self.counters["cpu_microseconds", package, _LEVELS[level]] += ending.cpu_us
        if ending.strays:
            self.counters["strays", package] += ending.strays
        if ending.is_stale:
            self.counters["unwiped", package] += 1
        self.max_rss_kb[package] = max(self.max_rss_kb.get(package, 0), ending.max_rss_kb)
        self._times["queue", package].append(waited_seconds)
        if ending.status == frames.FINISHED:
            self._times["service", package].append(ending.wall_us / 1e6)

    def percentiles(self, what: str, package: str) -> dict[str, float]:
        """``{"p50", "p95", "p99"}`` in seconds of the latest times; empty without any."""
        times = sorted(self._times.get((what, package), ()))
        if not times:
            return {}
        return {f"p{p}": times[min(len(times) - 1, int(len(times) * p / 100))] for p in (50, 95, 99)}

    def total(self, name: str, *labels: str) -> int:
        """The sum of a counter over whatever labels are not given."""
        wanted = (name, *labels)
        return sum(value for key, value in self.counters.items() if key[: len(wanted)] == wanted)

    def render(self, boxes_by_state: Iterable[tuple[str, int]] = ()) -> str:
        """Prometheus text format 0.0.4."""
        lines = []
        label_names = {"calls": ("package", "level", "outcome"), "cpu_microseconds": ("package", "level")}
        by_name: dict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
        for (name, *rest), value in sorted(self.counters.items()):
            by_name[name].append((tuple(rest), value))
        for name, rows in by_name.items():
            lines.append(f"# TYPE verihub_sandbox_{name}_total counter")
            for labels, value in rows:
                names = label_names.get(name, ("package",))
                pairs = ",".join(f'{key}="{_escaped(text)}"' for key, text in zip(names, labels, strict=False))
                lines.append(f"verihub_sandbox_{name}_total{{{pairs}}} {value}")
        for what, package in sorted(self._times):
            for quantile, seconds in self.percentiles(what, package).items():
                pairs = f'package="{_escaped(package)}",quantile="0.{quantile[1:]}"'
                lines.append(f"verihub_sandbox_{what}_seconds{{{pairs}}} {seconds:.6f}")
        lines.extend(f'verihub_sandbox_boxes{{state="{state}"}} {count}' for state, count in boxes_by_state)
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
