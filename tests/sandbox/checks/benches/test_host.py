"""The measurement of the host's CPU time judges everything and gives its keys."""

from sandbox.checks.benches.host import measure


def test_the_hosts_cpu_time_is_measured_at_both_levels() -> None:
    found = measure("local", 24)
    assert found["host_cpu_us_per_verdict_worker"] > 0
    assert found["host_cpu_us_per_verdict_batch"] > 0
    assert 0 < found["singly_at_half_rate_batch_p50_ms"] <= found["singly_at_half_rate_batch_p99_ms"]
    assert found["singly_to_alone_ratio"] > 0
    assert found["plain_singly_to_alone_ratio"] > 0
    assert found["plain_singly_host_cpu_us_per_verdict"] > 0
