from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from hub_client import client
from hub_client.errors import HubUnreachableError, IntegrityError, NotFoundError, PolicyError, UsageError
from hub_client.integrity.journal import Journal
from hub_client.integrity.known_authors import KnownAuthors
from hub_client.integrity.known_hubs import KnownHubs
from hub_client.integrity.proofs import KeptProofs
from hub_client.releases.cache import Cache
from hub_client.releases.resolve import Resolver
from hub_client.settings import ClientSettings
from hub_client.transport.connection import HubConnection
from schemas.names import Reference, digest_of
from schemas.package import PackageCard, PackageDetail, Release, ReleaseState
from schemas.wheels.wheel import read_wheel
from tests.making.wheel import make_wheel

URL = "http://hub.example"
NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Hub:
    """A hub with one package: answers its detail and its wheels, and counts downloads."""

    def __init__(self, versions, ages=None, **states):
        self.ages = ages or {}
        self.wheels = {version: make_wheel(version=version) for version in versions}
        self.states = states
        self.downloads = []

    def release(self, version):
        contents = read_wheel(self.wheels[version])
        blocked = self.states.get("blocked") == version
        return Release(
            package="alice/small-sums", version=version, digest=contents.digest, size_bytes=contents.size_bytes,
            state=self.states.get(f"v{version.replace('.', '_')}", ReleaseState.ACTIVE),
            published_at=NOW - timedelta(days=self.ages.get(version, 0)),
            published_by="alice", licence="MIT", manifest=contents.manifest, blocked_from_latest="b" if blocked else "",
        )  # fmt: skip

    def __call__(self, request):
        if request.url.path.endswith("/wheel"):
            version = request.url.path.split("/")[-2]
            self.downloads.append(version)
            return httpx.Response(200, content=self.wheels[version])
        if "/journal/" in request.url.path:
            return httpx.Response(404)
        card = PackageCard(
            id="alice/small-sums", kind="environment", summary="", tags=[], licence="MIT", latest=None, latest_digest=None,
            updated_at=NOW,
        )  # fmt: skip
        releases = [self.release(version) for version in self.wheels]
        detail = PackageDetail(card=card, owner="alice", created_at=NOW, releases=releases)
        return httpx.Response(200, json=detail.model_dump(mode="json"))


def resolver(hub, tmp_path, *, offline=False, min_age=0):
    connection, cache = HubConnection(URL, None, transport=httpx.MockTransport(hub)), Cache(tmp_path)
    journal = Journal(URL, connection, KnownHubs(tmp_path), KeptProofs(cache.folder), offline=offline)
    return Resolver(connection, cache, journal, KnownAuthors(tmp_path, URL), offline=offline,
                    min_age=timedelta(days=min_age), now=lambda: NOW)  # fmt: skip


@pytest.mark.parametrize(
    ("selector", "version"),
    [("", "1.1.0"), ("@latest", "1.1.0"), ("@<1.1", "1.0.0"), ("@1.0.0", "1.0.0"), ("@2.0.0", "2.0.0"), ("@3.0.0rc1", "3.0.0rc1")],
)  # fmt: skip
def test_ranges_take_what_is_active_and_pins_take_what_they_name(selector, version, tmp_path) -> None:
    hub = Hub(["3.0.0rc1", "2.1.0", "2.0.0", "1.1.0", "1.0.0"], v2_0_0=ReleaseState.YANKED, blocked="2.1.0")
    found = resolver(hub, tmp_path).resolve(Reference.parse(f"alice/small-sums{selector}"))
    assert found.version == version


def test_nothing_that_fits_lists_what_there_is(tmp_path) -> None:
    with pytest.raises(NotFoundError, match=r"releases are 1\.0\.0 \(yanked\)"):
        resolver(Hub(["1.0.0"], v1_0_0=ReleaseState.YANKED), tmp_path).resolve(Reference.parse("alice/small-sums"))


@pytest.mark.parametrize(
    ("selector", "version"), [("", "1.1.0"), ("@>=1", "1.1.0"), ("@<1.1", "1.0.0"), ("@1.1.0", "1.1.0")]
)
def test_with_a_least_age_the_newest_release_that_is_old_enough_is_taken(selector, version, tmp_path) -> None:
    """Who sends a malicious release by a stolen account is mostly found in days."""
    hub = Hub(["1.2.0", "1.1.0", "1.0.0"], ages={"1.2.0": 6.9, "1.1.0": 7, "1.0.0": 20})
    reference = Reference.parse(f"alice/small-sums{selector}")
    assert resolver(hub, tmp_path, min_age=7).resolve(reference).version == version
    assert resolver(hub, tmp_path).resolve(Reference.parse("alice/small-sums")).version == "1.2.0"


@pytest.mark.parametrize("selector", ["@1.2.0", "@>1.1", "@sha256"])
def test_a_younger_one_is_refused_where_nothing_older_fits_and_taken_where_it_was_pinned_before(selector, tmp_path):
    hub = Hub(["1.2.0", "1.1.0"], ages={"1.2.0": 2, "1.1.0": 30})
    text = selector.replace("sha256", hub.release("1.2.0").digest)
    strict, reference = resolver(hub, tmp_path, min_age=7), Reference.parse(f"alice/small-sums{text}")
    with pytest.raises(PolicyError, match=r"1\.2\.0 was published 2026-10-30 00:00 UTC.* from 2026-11-06 00:00 UTC on"):
        strict.load(reference)
    assert hub.downloads == []
    assert strict.load(reference, any_age=True).version == "1.2.0"
    with pytest.raises(NotFoundError, match="no release"):
        strict.resolve(Reference.parse("alice/small-sums@9.0.0"))


def test_the_least_age_is_a_setting_of_the_user(tmp_path, monkeypatch) -> None:
    age = (datetime.now(UTC) - NOW) / timedelta(days=1)
    hub = httpx.MockTransport(Hub(["1.0.0"]))
    for days, is_used in ((age - 1, True), (age + 1, False)):
        monkeypatch.setenv("VERIHUB_MIN_AGE", f"{days}")
        settings = ClientSettings.load(url=URL, cache_dir=tmp_path, config_dir=tmp_path)
        with (
            client.Hub(settings=settings, transport=hub) as ours,
            nullcontext() if is_used else pytest.raises(PolicyError),
        ):
            assert ours.resolver.resolve(Reference.parse("alice/small-sums")).version == "1.0.0"
    monkeypatch.setenv("VERIHUB_MIN_AGE", "-1")
    with pytest.raises(UsageError, match="VERIHUB_MIN_AGE"):
        ClientSettings.load()


def test_a_quarantined_release_is_refused_even_by_pin(tmp_path) -> None:
    hub = Hub(["1.0.0"], v1_0_0=ReleaseState.QUARANTINED)
    with pytest.raises(PolicyError, match="quarantined"):
        resolver(hub, tmp_path).resolve(Reference.parse("alice/small-sums@1.0.0"))


def test_a_release_is_downloaded_once_and_then_served_offline(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    loaded = resolver(hub, tmp_path).load(Reference.parse("alice/small-sums"))
    assert loaded.wheel.name == "alice_small_sums-1.0.0-py3-none-any.whl"
    assert loaded.digest == digest_of(hub.wheels["1.0.0"])
    again = resolver(hub, tmp_path, offline=True).load(Reference.parse("alice/small-sums"))
    assert again.digest == loaded.digest
    assert hub.downloads == ["1.0.0"]


def test_offline_says_what_the_cache_lacks(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    with pytest.raises(HubUnreachableError, match="not in the cache"):
        resolver(hub, tmp_path, offline=True).load(Reference.parse("alice/small-sums"))
    resolver(hub, tmp_path).describe("alice/small-sums")
    with pytest.raises(HubUnreachableError, match=r"wheel of alice/small-sums 1\.0\.0"):
        resolver(hub, tmp_path, offline=True).load(Reference.parse("alice/small-sums"))


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:50] + b"X" + data[51:], lambda _: b"<html>"]
)
def test_bytes_that_are_not_what_was_promised_are_never_kept(damage, tmp_path) -> None:
    hub = Hub(["1.0.0"])

    def tampering(request):
        answer = hub(request)
        return httpx.Response(200, content=damage(answer.content)) if request.url.path.endswith("/wheel") else answer

    with pytest.raises(IntegrityError, match="nothing was kept"):
        resolver(tampering, tmp_path).load(Reference.parse("alice/small-sums"))
    assert Cache(tmp_path).wheels() == []


def test_a_wheel_that_is_another_release_than_the_hub_says_is_refused(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    other = make_wheel(version="1.0.1")
    honest = hub.release("1.0.0").model_copy(update={"digest": digest_of(other), "size_bytes": len(other)})
    hub.release = lambda _version: honest
    hub.wheels["1.0.0"] = other
    with pytest.raises(IntegrityError, match="call themselves"):
        resolver(hub, tmp_path).load(Reference.parse("alice/small-sums"))


def test_an_unsafe_archive_with_a_right_digest_is_refused(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    evil = make_wheel(extra={"evil.pth": "import os"})
    honest = hub.release("1.0.0").model_copy(update={"digest": digest_of(evil), "size_bytes": len(evil)})
    hub.release = lambda _version: honest
    hub.wheels["1.0.0"] = evil
    with pytest.raises(IntegrityError, match=r"evil\.pth"):
        resolver(hub, tmp_path).load(Reference.parse("alice/small-sums"))


def test_another_package_than_was_asked_for_is_refused(tmp_path) -> None:
    asked = Reference.parse("alice/other-sums")
    with pytest.raises(IntegrityError, match=r"asked for alice/other-sums .* alice/small-sums"):
        resolver(Hub(["1.0.0"]), tmp_path).load(asked)
    assert Cache(tmp_path).read_index(URL, "alice/other-sums") is None


def test_a_release_of_another_package_in_the_list_is_refused(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    foreign = hub.release("1.0.0").model_copy(update={"package": "alice/other-sums"})
    hub.release = lambda _version: foreign
    with pytest.raises(IntegrityError, match="alice/other-sums"):
        resolver(hub, tmp_path).load(Reference.parse("alice/small-sums"))


def test_a_version_that_comes_back_with_other_bytes_is_refused_and_the_first_digest_stays(tmp_path) -> None:
    hub, reference = Hub(["1.1.0", "1.0.0"]), Reference.parse("alice/small-sums@1.0.0")
    first = resolver(hub, tmp_path).load(reference).digest
    good = dict(hub.wheels)
    hub.wheels["1.0.0"] = make_wheel(extra={"alice_small_sums/new.py": "x = 1"})
    for _ in range(2):
        with pytest.raises(IntegrityError, match=rf"was {first} .*never change"):
            resolver(hub, tmp_path).load(reference)
    del hub.wheels["1.0.0"]
    resolver(hub, tmp_path).describe("alice/small-sums")
    hub.wheels["1.0.0"] = make_wheel(extra={"alice_small_sums/new.py": "x = 1"})
    with pytest.raises(IntegrityError, match="never change"):
        resolver(hub, tmp_path).load(reference)
    hub.wheels.update(good)
    assert resolver(hub, tmp_path).load(reference).digest == first


@pytest.mark.parametrize(
    "rest", [b"[]", b'{"card": 1}', b"[" * 100_000, b"\xff", b"{", b'"text"', b'{"releases": [1]}']
)
def test_what_was_remembered_and_is_damaged_is_said_and_not_used(rest, tmp_path) -> None:
    cache = Cache(tmp_path)
    cache.write_index(URL, "alice/small-sums", {})
    path = cache.index_path(URL, "alice/small-sums")
    path.write_bytes(rest)
    for offline in (True, False):
        with pytest.raises(IntegrityError, match="is damaged: delete it"):
            resolver(Hub(["1.0.0"]), tmp_path, offline=offline).load(Reference.parse("alice/small-sums"))
    path.unlink()
    assert resolver(Hub(["1.0.0"]), tmp_path).load(Reference.parse("alice/small-sums")).version == "1.0.0"


@pytest.mark.parametrize("said", [[], {"card": 1}, "text", {"releases": [1]}, None])
def test_what_an_older_client_remembered_is_as_good_as_nothing(said, tmp_path) -> None:
    Cache(tmp_path).write_index(URL, "alice/small-sums", said)
    with pytest.raises(HubUnreachableError, match="not in the cache"):
        resolver(Hub(["1.0.0"]), tmp_path, offline=True).load(Reference.parse("alice/small-sums"))
    assert resolver(Hub(["1.0.0"]), tmp_path).load(Reference.parse("alice/small-sums")).version == "1.0.0"


def test_a_wheel_longer_than_the_hub_said_is_not_read_to_its_end(tmp_path) -> None:
    hub = Hub(["1.0.0"])
    hub.wheels["1.0.0"], honest = make_wheel(), hub.release("1.0.0")
    hub.release = lambda _version: honest
    hub.wheels["1.0.0"] += b"x" * 1000
    with pytest.raises(HubUnreachableError, match="longer than"):
        resolver(hub, tmp_path).load(Reference.parse("alice/small-sums"))
    assert Cache(tmp_path).wheels() == []
