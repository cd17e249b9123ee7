"""Counts and times of requests, in Prometheus' text format."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

BUCKETS_SECONDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)


class RequestMetrics:
    """In memory, per process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, Counter[float]] = defaultdict(Counter)
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count(self, scope: Any, status: int, seconds: float) -> None:
        """Count one answer under its route (never its raw path: strangers choose those)."""
        route = getattr(scope.get("route"), "path", "unmatched")
        with self._lock:
            self._answers[scope["method"], route, status] += 1
            self._seconds[route] += seconds
            for bucket in BUCKETS_SECONDS:
                if seconds <= bucket:
                    self._buckets[route][bucket] += 1

    def lines(self) -> Iterable[str]:
        """The text, line by line."""
        with self._lock:
            yield "# TYPE verihub_http_requests_total counter"
            for (method, route, status), count in sorted(self._answers.items()):
                labels = f'method="{method}",route="{_escape(route)}",status="{status}"'
                yield f"verihub_http_requests_total{{{labels}}} {count}"
            yield "# TYPE verihub_http_request_seconds histogram"
            totals: Counter[str] = Counter()
            for (_, route, _), count in self._answers.items():
                totals[route] += count
            for route, total in sorted(totals.items()):
                yield from self._histogram(route, total)

    def _histogram(self, route: str, total: int) -> Iterable[str]:
        name, label = "verihub_http_request_seconds", f'route="{_escape(route)}"'
        for bucket in BUCKETS_SECONDS:
            yield f'{name}_bucket{{{label},le="{bucket}"}} {self._buckets[route][bucket]}'
        yield f'{name}_bucket{{{label},le="+Inf"}} {total}'
        yield f"{name}_sum{{{label}}} {self._seconds[route]:.6f}"
        yield f"{name}_count{{{label}}} {total}"


def gauge_lines(name: str, values: dict[str, int], label: str) -> Iterable[str]:
    """A gauge with one label."""
    yield f"# TYPE {name} gauge"
    for key, value in sorted(values.items()):
        yield f'{name}{{{label}="{_escape(key)}"}} {value}'


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
