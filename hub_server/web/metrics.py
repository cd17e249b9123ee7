"""Counts and times of requests, for Prometheus."""

from collections.abc import Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest

BUCKETS_SECONDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)
disable_created_metrics()  # type: ignore[no-untyped-call] # when a series began: one more line for each of them


class RequestMetrics:
    """Counts and times of requests, in the memory of this process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "verihub_http_requests", "Answers.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "verihub_http_request_seconds",
            "Seconds until an answer was sent.",
            ("route",),
            buckets=BUCKETS_SECONDS,
            registry=self._registry,
        )

    def count(self, scope: Any, status: int, seconds: float) -> None:
        """Count one answer under its route (never its raw path: strangers choose those)."""
        route = getattr(scope.get("route"), "path", "unmatched")
        self._answers.labels(scope["method"], route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> str:
        """In Prometheus' text format."""
        return generate_latest(self._registry).decode()


def gauges_text(gauges: Iterable[tuple[str, str, str, Mapping[str, float]]]) -> str:
    """Gauges of one label each, in Prometheus' text format: (name, what it is, label, values by label)."""
    registry = CollectorRegistry()
    for name, meaning, label, values in gauges:
        gauge = Gauge(name, meaning, (label,), registry=registry)
        for key, value in values.items():
            gauge.labels(key).set(value)
    return generate_latest(registry).decode()
