"""A hub that lies about packages: wrong bytes, foreign names, forged audits. What is false is never shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from hub_server.publishing import actions as publishing
from schemas.journal.entries import Statement
from schemas.names import digest_of
from tests.hub_server.mirror.actions.test_journal_copy import changed, forged
from tests.hub_server.mirror.conftest import ALICE
from tests.making.action_driver import ActionDriver
from tests.making.hub import make_package
from tests.making.mirror import Mirror

SUMS = "/api/v1/packages/alice/small-sums"
WHEEL = "small-sums/releases/1.1.0/wheel"


def test_other_bytes_than_the_journal_names_stop_the_mirror(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.wire.lies = {WHEEL: lambda _status, body: (200, body[:-1] + b"x")}
    stops_after_some(mirror, "gives other bytes for alice/small-sums 1.1.0")
    assert mirror.api.get(f"{SUMS}/releases/1.1.0").status_code == 404
    stored = [one.digest for one in mirror.services.blobs.entries()]
    assert len(stored) == len(mirror.rows("SELECT id FROM releases"))
    assert list((mirror.services.settings.data / "uploads").iterdir()) == []


def stops_after_some(mirror: Mirror, *words: str) -> None:
    assert not mirror.follow()
    assert mirror.state.startswith("stopped: "), mirror.state
    assert all(word in mirror.state for word in words), mirror.state


def test_a_wheel_that_says_it_is_another_package_stops_the_mirror(origin: ActionDriver, mirror: Mirror) -> None:
    """The hub signs the digest of bob's wheel as alice's."""
    foreign = make_package("bob/elsewhere")
    origin.publish(ALICE, version="3.0.0")
    rows = origin.rows("SELECT statement FROM journal_entries ORDER BY position")
    last = Statement.parse(rows[-1][0].encode())
    lie = last.model_copy(update={"sha256": digest_of(foreign).removeprefix("sha256:")})
    mirror.wire.lies = {
        "/journal/entries": forged(origin, changes={len(rows) - 1: lie.statement()}),
        "3.0.0/wheel": lambda _status, _body: (200, foreign),
    }
    stops_after_some(mirror, "names the wheel of bob/elsewhere 1.0.0 as alice/small-sums 3.0.0")
    assert "bob/elsewhere" not in mirror.pages()


@pytest.mark.parametrize(
    "lie",
    [(404, b""), (410, b""), (500, b""), (302, b""), (200, b"x" * (65 * 2**20))],
    ids=["404", "410", "500", "302", "huge"],
)
def test_a_wheel_that_does_not_come_is_asked_for_again_and_holds_up_nothing_else(mirror: Mirror, lie) -> None:
    mirror.wire.lies = {WHEEL: lambda _status, _body: lie}
    mirror.follow()
    mirror.follow()
    assert mirror.pages() == ["alice/small-sums", "bob/other"]
    assert mirror.api.get(f"{SUMS}/releases/latest").json()["version"] == "1.0.0"
    assert "alice/small-sums 1.1.0 could not be fetched" in mirror.state
    mirror.wire.lies = {}
    mirror.wait(120)
    mirror.follow()
    assert mirror.api.get(f"{SUMS}/releases/latest").json()["version"] == "1.1.0"
    assert mirror.state.startswith("ok")


def audits(change: Any) -> dict[str, Any]:
    return {"1.1.0/audits": changed(lambda page: change(page["items"][0]))}


@pytest.mark.parametrize(
    "change",
    [
        lambda audit: audit["report"].update(grade="A", case_count=9999),
        lambda audit: audit["report"].update(signature=None),
        lambda audit: audit["report"].update(subject="alice/small-sums@1.0.0"),
        lambda audit: audit.update(package="bob/other"),
        lambda audit: audit.update(id="../../x"),
        lambda audit: audit["report"].update(audited_at="2026-11-21T12:00:00"),
    ],
    ids=["better", "unsigned", "another release", "another package", "id", "time"],
)
def test_a_report_that_the_hub_has_not_signed_like_that_stops_the_mirror(mirror: Mirror, change) -> None:
    mirror.wire.lies = audits(change)
    stops_after_some(mirror, "audit")
    assert mirror.api.get(f"{SUMS}/releases/1.1.0").json()["audit"] is None


def test_the_rates_of_another_release_stop_the_mirror(origin: ActionDriver, mirror: Mirror) -> None:
    """A good report, rightly signed, in the place of another: what a hub would do that wants to flatter one package."""
    good = mirror.wire.read_own(f"{SUMS}/releases/1.0.0/audits")
    mirror.wire.lies = {"1.1.0/audits": lambda _status, _body: (200, json.dumps(good).encode())}
    stops_after_some(mirror, "another release")


def test_names_that_the_journal_does_not_hold_are_left_out(origin: ActionDriver, mirror: Mirror) -> None:
    """Private names in events, and releases of other packages in a list, go nowhere."""
    mirror.follow()
    ((before,),) = mirror.rows("SELECT count(*) FROM mirrored_packages")

    def add(page: Any) -> None:
        page["items"] = [{"position": page["newest"], "kind": "release.published", "at": "2026-11-21T12:00:00Z",
                          "owner": "eve", "package": "eve/secret", "version": "1.0"}]  # fmt: skip

    origin.publish(ALICE, version="2.0.0")
    stranger = mirror.wire.read_own("/api/v1/packages/bob/other/releases")["items"]
    mirror.wire.lies = {
        "/events": changed(add),
        "small-sums/releases?": changed(lambda page: page["items"].extend(stranger)),
    }
    mirror.follow()
    assert mirror.rows("SELECT count(*) FROM mirrored_packages") == [(before,)]
    assert not [path for path in mirror.wire.asked if "eve/" in path]
    assert mirror.api.get(f"{SUMS}/releases/latest").json()["version"] == "2.0.0"
    assert mirror.api.get(SUMS).json()["release_count"] == 3


def test_a_package_that_is_told_as_private_or_as_another_is_not_shown(mirror: Mirror) -> None:
    mirror.wire.lies = {"packages/bob/other": changed(lambda page: page.get("card", {}).update(visibility="private"))}
    mirror.follow()
    assert mirror.pages() == ["alice/small-sums"]
    mirror.wire.lies = {"packages/bob/other": changed(lambda page: page.get("card", {}).update(id="alice/small-sums"))}
    mirror.wait(120)
    mirror.follow()
    assert mirror.pages() == ["alice/small-sums"]


def test_lists_without_end_are_cut(origin: ActionDriver, mirror: Mirror) -> None:
    """Each page names a next one: no more are read than there are releases in the journal, nor events than fit a pass."""
    mirror.wire.lies = {"small-sums/releases?": changed(lambda page: page.update(next="again"))}
    mirror.follow()
    assert len([path for path in mirror.wire.asked if "small-sums/releases?" in path]) == 1
    mirror.wire.asked.clear()
    mirror.wire.lies = {"/events": lambda _s, _b: (200, json.dumps(_endless(mirror)).encode())}
    mirror.follow()
    assert len([path for path in mirror.wire.asked if "/events" in path]) == 100


def _endless(mirror: Mirror) -> dict[str, Any]:
    since = int(mirror.wire.asked[-1].partition("since=")[2].partition("&")[0])
    return {"items": [], "next": since + 1, "newest": 2**61}


@pytest.mark.parametrize("numbers", [{"next": 2**63, "newest": 2**63}, {"next": -5}, {"next": 5, "newest": 4}])
def test_events_whose_numbers_lead_nowhere_are_not_followed(mirror: Mirror, numbers) -> None:
    mirror.follow()
    mirror.wire.lies = {"/events": changed(lambda page: page.update(numbers))}
    assert mirror.follow()
    assert mirror.state.startswith("waits: ")


def test_one_package_that_cannot_be_kept_holds_up_no_other(mirror: Mirror, tmp_path: Path) -> None:
    lone = {"blocked_from_latest": "\ud800"}
    mirror.wire.lies = {"small-sums/releases?": changed(lambda page: [one.update(lone) for one in page["items"]])}
    for _ in range(3):
        mirror.follow()
    assert "bob/other" in mirror.pages()
    assert "alice/small-sums could not be kept" in mirror.state


def test_a_disk_has_an_end(origin: ActionDriver, tmp_path: Path, sqlite_template: Path) -> None:
    small = Mirror(origin, tmp_path / "small", sqlite_template, wheels_bytes=3000)
    small.follow()
    assert "VERIHUB_SERVER_MIRROR__WHEELS_BYTES is 3000" in small.state
    assert sum(size for (size,) in small.rows("SELECT size_bytes FROM releases")) <= 3000
    assert sum(one.size_bytes for one in small.services.blobs.entries()) <= 3000, "nor is what found no room stored"
    small.services.close()


def test_long_reasons_are_cut(origin: ActionDriver, mirror: Mirror) -> None:
    origin.do(ALICE, publishing.yank_release, "alice/small-sums", "1.0.0", "x")
    long = {"yanked_reason": "y" * 100_000, "blocked_from_latest": "b" * 100_000, "published_by": "../eve"}
    mirror.wire.lies = {"small-sums/releases?": changed(lambda page: [one.update(long) for one in page["items"]])}
    mirror.follow()
    release = mirror.api.get(f"{SUMS}/releases/1.0.0").json()
    assert (len(release["yanked_reason"]), len(release["blocked_from_latest"])) == (2000, 2000)
    assert release["published_by"] == "alice"
    assert release["yanked_by"] == "alice", "in the other hub's words"
    assert release["yanked_at"] is not None
