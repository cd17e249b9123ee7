"""The catalogue: what is found, which release a reference means, what a wheel's bytes are served with."""

from xml.etree import ElementTree as ET

import pytest
from sqlalchemy import text

from hub_server.database.engine import Database
from schemas.names import digest_of
from tests.fakes.clock import FakeClock
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST, METADATA

BASE = "/api/v1/packages/alice/small-sums"


def releases(api: Api) -> list[str]:
    return [release["version"] for release in api.get(f"{BASE}/releases").json()["items"]]


def test_releases_come_highest_version_first_in_pages(alice: Api) -> None:
    for version in ("1.9.0", "1.10.0", "1.2.0", "2.0.0rc1", "1.10.0.post1"):
        alice.publish(make_package(version=version))
    assert releases(alice) == ["2.0.0rc1", "1.10.0.post1", "1.10.0", "1.9.0", "1.2.0"]
    first = alice.get(f"{BASE}/releases?limit=2").json()
    rest = alice.get(f"{BASE}/releases?limit=100&cursor={first['next']}").json()
    assert [item["version"] for item in first["items"] + rest["items"]] == releases(alice)


@pytest.mark.parametrize(
    ("selector", "version"),
    [
        ("latest", "1.10.0"),
        ("1.9", "1.9.0"),
        ("%3E%3D1%2C%3C1.10", "1.9.0"),
        ("2.0.0rc1", "2.0.0rc1"),
        ("%3E%3D2.0rc1", "2.0.0rc1"),
    ],
)
def test_a_selector_means_one_release(alice: Api, selector: str, version: str) -> None:
    for number in ("1.9.0", "1.10.0", "2.0.0rc1"):
        alice.publish(make_package(version=number))
    assert alice.get(f"{BASE}/releases/{selector}").json()["version"] == version


def test_a_digest_means_the_release_with_those_bytes(alice: Api) -> None:
    wheel = make_package()
    alice.publish(wheel)
    assert alice.get(f"{BASE}/releases/{digest_of(wheel)}").json()["version"] == "1.0.0"


@pytest.mark.parametrize("selector", ["9.9", "%3E%3D9", "sha256:" + "0" * 64])
def test_a_release_that_is_not_there_is_said_with_those_that_are(alice: Api, selector: str) -> None:
    alice.publish(make_package())
    refused = alice.get(f"{BASE}/releases/{selector}")
    assert (refused.status_code, refused.json()["code"]) == (404, "release_not_found")
    assert "1.0.0" in refused.json()["detail"]


@pytest.mark.parametrize("selector", ["banana", "==", "%00", "1.0+local"])
def test_a_selector_that_means_nothing_is_refused(alice: Api, selector: str) -> None:
    alice.publish(make_package())
    assert alice.get(f"{BASE}/releases/{selector}").status_code == 422


def test_a_yanked_release_leaves_latest_and_ranges_but_not_those_who_pin_it(alice: Api, bob: Api) -> None:
    alice.publish(make_package(version="1.0.0"))
    alice.publish(make_package(version="1.1.0"))
    assert bob.post(f"{BASE}/releases/1.1.0/yank", json={"reason": "x"}).status_code == 403
    yanked = alice.post(f"{BASE}/releases/1.1.0/yank", json={"reason": "accepts everything; use 1.0.0"})
    assert yanked.json()["state"] == "yanked"
    assert alice.get(f"{BASE}/releases/latest").json()["version"] == "1.0.0"
    assert alice.get(f"{BASE}/releases/%3E%3D1").json()["version"] == "1.0.0"
    pinned = alice.get(f"{BASE}/releases/1.1.0").json()
    assert (pinned["state"], pinned["state_reason"]) == ("yanked", "accepts everything; use 1.0.0")
    assert alice.get(f"{BASE}/releases/1.1.0/wheel").status_code == 200
    alice.post(f"{BASE}/releases/1.1.0/unyank")
    assert alice.get(f"{BASE}/releases/latest").json()["version"] == "1.1.0"


def test_a_deprecated_release_still_resolves(alice: Api) -> None:
    alice.publish(make_package())
    alice.post(f"{BASE}/releases/1.0.0/deprecate", json={"reason": "use alice/sums"})
    assert alice.get(f"{BASE}/releases/latest").json()["state"] == "deprecated"
    alice.post(f"{BASE}/releases/1.0.0/undeprecate")
    assert alice.get(f"{BASE}/releases/latest").json()["state"] == "active"


def test_a_pre_release_alone_is_shown_but_is_not_latest(alice: Api) -> None:
    alice.publish(make_package(version="1.0.0rc1"))
    card = alice.get(BASE).json()["card"]
    assert card["latest"] is None
    assert card["summary"] == "Sums of small numbers"
    assert alice.get(f"{BASE}/releases/latest").status_code == 404


def test_the_wheel_is_served_for_ever_and_as_nothing_a_browser_would_run(alice: Api, api: Api) -> None:
    wheel = make_package()
    alice.publish(wheel)
    exact = api.get(f"{BASE}/releases/1.0.0/wheel")
    assert exact.content == wheel
    assert exact.headers["ETag"] == f'"{digest_of(wheel)}"'
    assert exact.headers["Cache-Control"] == "public, no-cache"  # it may be withdrawn: every use asks
    assert 'filename="alice_small_sums-1.0.0-py3-none-any.whl"' in exact.headers["Content-Disposition"]
    assert exact.headers["Content-Security-Policy"].startswith("sandbox")
    latest = api.get(f"{BASE}/releases/latest/wheel")
    assert latest.headers["Cache-Control"] == "no-cache"
    known = api.get(f"{BASE}/releases/1.0.0/wheel", headers={"If-None-Match": exact.headers["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_a_senders_downloads_of_one_release_count_once_in_five_minutes(
    alice: Api, bob: Api, api: Api, clock: FakeClock
) -> None:
    """Before, a loop of requests put a package first in the order by downloads."""
    for version in ("1.0.0", "1.1.0"):
        alice.publish(make_package(version=version))

    def counted() -> int:
        return alice.get(BASE).json()["card"]["downloads"]

    for _ in range(5):
        assert api.get(f"{BASE}/releases/1.0.0/wheel").status_code == 200
    assert counted() == 1
    bob.get(f"{BASE}/releases/1.0.0/wheel")
    api.get(f"{BASE}/releases/1.1.0/wheel")
    assert counted() == 3
    clock.advance(301)
    api.get(f"{BASE}/releases/1.0.0/wheel")
    assert counted() == 4


def test_many_accounts_at_one_address_are_one_sender_of_what_trends(
    alice: Api, bob: Api, api: Api, database: Database
) -> None:
    """Accounts cost nothing: a handful of one person's put a package on the first page."""
    alice.publish(make_package())
    for who in (alice, bob, api, *(api.sign_up(f"puppet{number}") for number in range(4))):
        assert who.get(f"{BASE}/releases/1.0.0/wheel").status_code == 200
    with database.reading() as session:
        assert session.execute(text("SELECT downloads, senders FROM download_days")).all() == [(7, 1)]


def test_head_says_what_get_would_and_sends_nothing(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    for path in (f"{BASE}/releases/1.0.0/wheel", BASE, "/simple/alice-small-sums/", "/packages/alice/small-sums", "/"):
        whole, head = api.get(path), api.request("HEAD", path)
        assert (head.status_code, head.content) == (200, b""), path
        assert head.headers["content-type"] == whole.headers["content-type"]
    assert int(api.request("HEAD", f"{BASE}/releases/1.0.0/wheel").headers["content-length"]) > 100
    assert api.request("HEAD", "/nothing/at/all").status_code == 404


def test_files_are_listed_and_read_and_nothing_else_is(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    paths = [file["path"] for file in api.get(f"{BASE}/releases/1.0.0/files").json()["items"]]
    assert "alice_small_sums/verihub.toml" in paths
    read = api.get(f"{BASE}/releases/1.0.0/files/alice_small_sums/verihub.toml")
    assert read.text == MANIFEST
    assert read.headers["Content-Security-Policy"].startswith("sandbox")
    assert read.headers["Content-Disposition"].startswith("attachment")
    for path in ("../../etc/passwd", "alice_small_sums/none.py", "%2e%2e/x", "etc%2fpasswd"):
        assert api.get(f"{BASE}/releases/1.0.0/files/{path}").status_code in (404, 422)


def test_pip_finds_its_index_in_both_forms(alice: Api, api: Api) -> None:
    wheel = make_package()
    alice.publish(wheel)
    alice.publish(make_package(version="0.9.0"))
    alice.post(f"{BASE}/releases/0.9.0/yank", json={"reason": 'a "bad" <b>'})
    page = api.get("/simple/alice-small-sums/").text
    assert f"alice_small_sums-1.0.0-py3-none-any.whl#sha256={digest_of(wheel).removeprefix('sha256:')}" in page
    assert 'data-yanked="a &quot;bad&quot; &lt;b&gt;"' in page
    assert 'data-requires-python="&gt;=3.11"' in page
    as_json = {"Accept": "application/vnd.pypi.simple.v1+json"}
    project = api.get("/simple/alice-small-sums/", headers=as_json).json()
    assert project["versions"] == ["1.0.0", "0.9.0"]
    assert project["files"][0]["hashes"] == {"sha256": digest_of(wheel).removeprefix("sha256:")}
    assert project["files"][1]["yanked"] == 'a "bad" <b>'
    assert api.get("/simple/", headers=as_json).json()["projects"] == [{"name": "alice-small-sums"}]
    moved = api.get("/simple/Alice_Small.Sums/")
    assert (moved.status_code, moved.headers["Location"]) == (301, "/simple/alice-small-sums/")
    assert api.get("/simple/alice-none/").status_code == 404
    url = "/simple/alice-small-sums/" + project["files"][0]["url"]
    there = api.get(url)
    assert api.get(there.headers["Location"]).content == wheel


def test_feeds_tell_what_was_published(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    for path in ("releases", "owners/alice", "packages/alice/small-sums"):
        feed = api.get(f"/feeds/{path}.atom")
        assert feed.headers["Content-Type"].startswith("application/atom+xml")
        assert "alice/small-sums 1.0.0" in feed.text
    assert "alice/small-sums" not in api.get("/feeds/owners/bob.atom").text
    assert api.get("/feeds/packages/alice/none.atom").status_code == 404


@pytest.mark.parametrize("character", ["\uffff", "\ufffe", "\x0b", "\x85", "𝟙"])
def test_no_summary_breaks_a_feed(alice: Api, api: Api, character: str) -> None:
    metadata = METADATA.replace("Sums of small", f"Sums{character} of small")
    answer = alice.publish(make_package(metadata=metadata))
    if answer.status_code == 422:  # refused at the door is as good
        return
    feed = ET.fromstring(api.get("/feeds/releases.atom").content)
    assert len(feed.findall("{http://www.w3.org/2005/Atom}entry")) == 1
