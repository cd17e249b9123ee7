"""Token buckets: a burst, then a rate, for each sender apart."""

import pytest

from hub_server.web import buckets as module
from hub_server.web.buckets import Buckets


def test_a_bucket_gives_its_burst_then_its_rate() -> None:
    now = 0.0
    buckets = Buckets(rate=2.0, burst=3, monotonic=lambda: now)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 0]
    assert buckets.take("a") == pytest.approx(0.5)
    assert buckets.take("b") == 0
    now = 0.5
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0


def test_a_crowd_of_senders_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT_SENDERS", 3)
    buckets = Buckets(rate=1e-6, burst=1, monotonic=lambda: 0.0)
    assert [buckets.take(sender) for sender in "abcd"] == [0, 0, 0, 0]
    assert buckets.take("d") > 0
    assert buckets.take("a") == 0  # the one that was forgotten
