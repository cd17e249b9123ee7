"""Counts for Prometheus: by route, never by a path that somebody chose, in a format that its own parser reads."""

from types import SimpleNamespace

from prometheus_client.parser import text_string_to_metric_families

from hub_server.web.metrics import BUCKETS_SECONDS, RequestMetrics, gauges_text


def counted(*answers):
    metrics = RequestMetrics()
    for route, status, seconds in answers:
        scope = {"method": "GET", "path": "/secret-of-somebody", "route": route and SimpleNamespace(path=route)}
        metrics.count(scope, status, seconds)
    return list(text_string_to_metric_families(metrics.text()))


def samples(families, name):
    return {tuple(sorted(s.labels.items())): s.value for f in families for s in f.samples if s.name == name}


def test_answers_are_counted_by_route_and_status() -> None:
    found = samples(counted(("/a", 200, 0.1), ("/a", 200, 0.1), ("/a", 404, 0.1)), "verihub_http_requests_total")
    assert sorted(found.values()) == [1, 2]


def test_a_path_without_a_route_is_not_a_label() -> None:
    (labels,) = samples(counted((None, 404, 0.1)), "verihub_http_requests_total")
    assert ("route", "unmatched") in labels
    assert "secret" not in str(labels)


def test_buckets_are_cumulative_and_the_last_holds_everything() -> None:
    families = counted(("/a", 200, 0.001), ("/a", 200, 1.0), ("/a", 200, 1e6))
    buckets = samples(families, "verihub_http_request_seconds_bucket")
    by_bound = {float(dict(labels)["le"]): value for labels, value in buckets.items()}
    values = [by_bound[bound] for bound in sorted(by_bound)]
    assert values == sorted(values)
    assert (by_bound[BUCKETS_SECONDS[0]], by_bound[2.5], by_bound[float("inf")]) == (1, 2, 3)


def test_a_route_with_quotes_breaks_no_line() -> None:
    ((labels, _),) = samples(counted(('/a"}\n\\', 200, 0.1)), "verihub_http_requests_total").items()
    assert dict(labels)["route"] == '/a"}\n\\'


def test_a_gauge_has_one_line_a_value() -> None:
    text = gauges_text([("jobs", "Jobs.", "state", {"queued": 2, "failed": 1})])
    assert samples(text_string_to_metric_families(text), "jobs") == {
        (("state", "queued"),): 2,
        (("state", "failed"),): 1,
    }
