"""The cache is listed and emptied, and nothing else is."""

import os
import time

import pytest

from hub_client.client import Hub
from hub_client.settings import ClientSettings
from schemas.names import digest_of

DAY = 24 * 3600


@pytest.fixture
def two(scripted):
    """A wheel that was used today, and one that was used forty days ago; what a hub said."""
    cache = Hub(settings=ClientSettings.load()).cache
    kept = cache.add_wheel(digest_of(b"new"), "new-1.0-py3-none-any.whl", [b"new"])
    old = cache.add_wheel(digest_of(b"old!"), "old-1.0-py3-none-any.whl", [b"old!"])
    past = time.time() - 40 * DAY
    os.utime(old, (past, past))
    cache.write_index("http://hub.example", "alice/sums", {"x": 1})
    return cache, kept, old


def test_wheels_are_listed_and_counted(verihub, two):
    cache, kept, old = two
    assert verihub("cache", "list", "-q").out.split() == [str(kept), str(old)]
    assert "40 days ago" in verihub("cache", "list").out
    assert verihub("cache", "size", "-q").out.strip() == "7"
    assert str(cache.folder) in verihub("cache", "size").out


def test_only_what_was_not_used_goes(verihub, two):
    cache, kept, old = two
    assert "1 wheel would be removed" in verihub("cache", "prune", "--dry-run").out
    assert old.exists()
    assert "1 wheel removed" in verihub("cache", "prune").out
    assert (kept.exists(), old.exists(), old.parent.exists()) == (True, False, False)
    assert verihub("cache", "prune", "--all").code == 0
    assert cache.entries() == []
    assert cache.read_index("http://hub.example", "alice/sums") == {"x": 1}, "what a hub said is no wheel"
    assert verihub("cache", "list").out.strip() == "the cache is empty"


def test_a_contradiction_removes_nothing(verihub, two):
    assert verihub("cache", "prune", "--all", "--days", "3").code == 2
    assert verihub("cache", "prune", "--days", "-1").code == 2
    assert two[1].exists()


def test_what_is_read_is_used(two):
    cache, _, old = two
    assert cache.find_wheel(digest_of(b"old!")) == old
    assert all(time.time() - one.used_at < DAY for one in cache.entries())
