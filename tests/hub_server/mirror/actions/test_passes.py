"""A mirror shows what the other hub shows, and goes on wherever it was cut off."""

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.database.engine import Database
from hub_server.errors import InvalidRequestError
from hub_server.journal import actions as journal
from hub_server.kernel.caller import operator
from hub_server.mirror.actions import packages, passes
from hub_server.mirror_loop import MirrorLoop
from hub_server.moderation import actions as moderation
from hub_server.publishing import actions as publishing
from schemas.journal.authors import sign_release
from schemas.names import digest_of
from tests.hub_server.mirror.conftest import ALICE
from tests.making.action_driver import ActionDriver, person
from tests.making.hub import make_package
from tests.making.mirror import ORIGIN, Mirror

SUMS = "/api/v1/packages/alice/small-sums"


def same(origin: ActionDriver, mirror: Mirror, path: str, *, but: tuple[str, ...] = ()) -> None:
    """Both hubs answer alike, apart from fields that are each hub's own."""
    theirs, ours = mirror.wire.read_own(path), mirror.api.get(path).json()
    for one in (theirs, ours):
        for key in but:
            one.pop(key, None)
    assert ours == theirs, path


def test_a_mirror_shows_releases_wheels_states_and_rates_as_the_other_hub_does(
    origin: ActionDriver, mirror: Mirror
) -> None:
    origin.do(ALICE, publishing.yank_release, "alice/small-sums", "1.0.0", "wrong answers")
    origin.do(person("bob"), publishing.deprecate_release, "bob/other", "1.0.0", "use small-sums")
    assert mirror.follow()
    assert mirror.state.startswith("ok: 5 entries of https://origin.test"), mirror.state
    assert mirror.pages() == ["alice/small-sums", "bob/other"]
    for path in (f"{SUMS}/releases/1.0.0", f"{SUMS}/releases/latest", "/api/v1/packages/bob/other/releases/1.0.0"):
        same(origin, mirror, path)
    same(origin, mirror, SUMS, but=("card", "created_at"))
    for path in (f"{SUMS}/releases/1.1.0/files", "/api/v1/keys", "/api/v1/journal/releases/alice/small-sums/1.1.0"):
        same(origin, mirror, path)
    assert (
        mirror.api.get(f"{SUMS}/releases/1.1.0/wheel").content
        == mirror.wire.api.get(f"{SUMS}/releases/1.1.0/wheel").content
    )
    audit = mirror.api.get(f"{SUMS}/releases/1.1.0/audits").json()["items"][0]
    theirs = mirror.wire.api.get(f"{SUMS}/releases/1.1.0/audits").json()["items"][0]
    assert audit["report"] == theirs["report"]
    assert audit["key_id"] == theirs["key_id"]
    assert mirror.api.get("/simple/alice-small-sums/").text == mirror.wire.api.get("/simple/alice-small-sums/").text
    assert mirror.api.get("/api/v1/packages?q=small").json()["items"][0]["id"] == "alice/small-sums"
    for page in ("/", "/packages/alice/small-sums", "/packages/alice/small-sums/releases/1.1.0"):
        html = mirror.api.get(page, headers={"accept": "text/html"})
        assert html.status_code == 200, page
        assert "Read-only mirror of" in html.text
        assert "Sign in" not in html.text
    home = mirror.api.get("/", headers={"accept": "text/html"}).text
    assert f"export VERIHUB_URL={ORIGIN}" in home, "publishing is done there"
    assert "Latest counter-examples" not in home


def test_news_come_with_the_next_pass_and_nothing_is_asked_twice(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    origin.publish(ALICE, version="1.2.0")
    origin.run_jobs()
    mirror.wire.asked.clear()
    mirror.follow()
    assert mirror.api.get(f"{SUMS}/releases/latest").json()["version"] == "1.2.0"
    assert mirror.api.get(f"{SUMS}/releases/1.2.0").json()["audit"]["grade"]
    asked = mirror.wire.asked
    assert [path for path in asked if path.endswith("/wheel")] == [f"{SUMS}/releases/1.2.0/wheel"]
    assert not [path for path in asked if "bob" in path]
    asked.clear()
    mirror.follow()
    assert len(asked) == 2, "the journal and the events"


def test_what_is_quarantined_taken_down_or_hidden_there_disappears_here(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    digest = mirror.api.get(f"{SUMS}/releases/1.0.0").json()["digest"]
    origin.do(operator(), moderation.quarantine_release, "alice/small-sums", "1.1.0", "it leaks answers")
    origin.do(operator(), moderation.take_down_release, "alice/small-sums", "1.0.0", "personal data")
    mirror.follow()
    assert mirror.api.get(f"{SUMS}/releases/1.1.0/wheel").status_code == 410
    gone = mirror.api.get(f"{SUMS}/releases/1.0.0").json()
    assert (gone["taken_down_reason"], gone["summary"]) == ("personal data", "")
    assert mirror.api.get(f"{SUMS}/releases/1.0.0/wheel").status_code == 410
    assert mirror.api.get(f"{SUMS}/releases/1.0.0/files").json()["items"] == []
    (audit,) = mirror.api.get(f"{SUMS}/releases/1.0.0/audits").json()["items"]
    assert (audit["state"], audit["report"]) == ("failed", None)
    mirror.wait(3600)
    mirror.run_jobs()
    assert not mirror.services.blobs.exists(digest)
    assert "alice/small-sums" not in mirror.pages()
    origin.do(operator(), moderation.release_from_quarantine, "alice/small-sums", "1.1.0", "a mistake")
    mirror.follow()
    assert mirror.api.get(f"{SUMS}/releases/1.1.0/wheel").status_code == 200
    origin.do(operator(), moderation.take_down_package, "bob/other", "all of it")
    mirror.follow()
    assert "bob/other" not in mirror.pages()
    assert mirror.api.get("/api/v1/packages/bob/other").status_code == 410
    assert "ok" in mirror.state


def test_what_was_taken_down_before_the_mirror_came_is_never_fetched(origin: ActionDriver, mirror: Mirror) -> None:
    origin.do(operator(), moderation.take_down_release, "alice/small-sums", "1.0.0", "personal data")
    origin.do(operator(), moderation.quarantine_package, "bob/other", "under review")
    mirror.follow()
    assert not [path for path in mirror.wire.asked if path.endswith("1.0.0/wheel")]
    assert mirror.pages() == ["alice/small-sums"]
    origin.do(operator(), moderation.unquarantine_package, "bob/other", "fine")
    mirror.follow()
    assert mirror.pages() == ["alice/small-sums", "bob/other"]


def test_a_package_that_becomes_unreadable_there_is_hidden_here_within_a_day(
    origin: ActionDriver, mirror: Mirror
) -> None:
    mirror.follow()
    with origin.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET is_private = 1 WHERE id = 'bob/other'")
    mirror.wait(24 * 3600 + 60)
    mirror.follow()
    assert mirror.api.get("/api/v1/packages/bob/other").status_code == 410
    assert mirror.pages() == ["alice/small-sums"]
    assert "does not show it" in mirror.state


@pytest.mark.parametrize("at", [1, 3, 5, 7, 9, 12])
def test_a_mirror_that_dies_anywhere_goes_on_where_it_was(origin: ActionDriver, mirror: Mirror, at: int) -> None:
    """Each question is a moment to die: the process is gone, and what was not committed with it."""
    count = 0

    class Killed(BaseException):
        pass

    def die(_path: str) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise Killed

    mirror.wire.before = die
    for _ in range(2):
        try:
            MirrorLoop(mirror.services).run_one()
        except Killed:
            continue
    mirror.wire.before = lambda _path: None
    assert mirror.follow()
    assert mirror.state.startswith("ok: 3 entries"), mirror.state
    same(origin, mirror, f"{SUMS}/releases/1.1.0")
    same(origin, mirror, "/api/v1/journal/releases/bob/other/1.0.0")


def test_a_crash_between_bytes_and_rows_leaves_a_mirror_that_goes_on(
    origin: ActionDriver, mirror: Mirror, monkeypatch
) -> None:
    real, calls = packages._insert, []

    def dies(*arguments) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise SystemExit
        real(*arguments)

    monkeypatch.setattr(packages, "_insert", dies)
    with pytest.raises(SystemExit):
        mirror.follow()
    mirror.follow()
    assert mirror.pages() == ["alice/small-sums", "bob/other"]
    assert mirror.state.startswith("ok")


def test_a_pass_that_time_ends_says_that_packages_are_due(origin: ActionDriver, mirror: Mirror, monkeypatch) -> None:
    hours = itertools.count(0, 3600)
    with monkeypatch.context() as late:
        late.setattr(passes, "time", SimpleNamespace(monotonic=lambda: next(hours)))
        assert passes.run_pass(mirror.services, lambda: False)
    assert not passes.run_pass(mirror.services, lambda: False), "all of it was looked at now"


def test_two_loops_on_one_database_do_no_harm(origin: ActionDriver, mirror: Mirror) -> None:
    """The second runs a whole pass in the middle of the first, at each of its questions."""
    inside = False

    def run_another(_path: str) -> None:
        nonlocal inside
        if not inside:
            inside = True
            passes.run_pass(mirror.services, lambda: False)
            inside = False

    mirror.wire.before = run_another
    mirror.follow()
    mirror.wire.before = lambda _path: None
    assert mirror.state.startswith("ok: 3 entries"), mirror.state
    same(origin, mirror, f"{SUMS}/releases/1.1.0")
    ((count,),) = mirror.rows("SELECT count(*) FROM journal_entries")
    assert count == 3


def test_a_key_that_the_old_one_named_is_followed(origin: ActionDriver, mirror: Mirror, tmp_path) -> None:
    mirror.follow()
    following = Ed25519Signer(tmp_path / "following.pem", make=True)
    origin.do(operator(), journal.rotate_key, following)
    origin.services = replace(origin.services, signer=following)
    mirror.wire.rewire()
    origin.publish(ALICE, version="2.0.0")
    assert mirror.follow()
    assert mirror.state.startswith("ok: 5 entries"), mirror.state
    same(origin, mirror, "/api/v1/keys")
    same(origin, mirror, "/api/v1/journal/releases/alice/small-sums/2.0.0")


def test_the_journal_is_given_on_word_for_word(origin: ActionDriver, mirror: Mirror) -> None:
    assert mirror.api.get("/api/v1/journal/checkpoint").status_code == 503, "nothing was copied yet"
    mirror.follow()
    for path in ("checkpoint", "entries?start=1&limit=100", "consistency?old=1&new=3"):
        assert mirror.api.get(f"/api/v1/journal/{path}").text == mirror.wire.api.get(f"/api/v1/journal/{path}").text
    origin.publish(ALICE, version="2.0.0")
    assert mirror.api.get("/api/v1/journal/consistency?old=1&new=4").status_code == 422


def test_a_transfer_is_followed_where_the_journal_has_the_name(origin: ActionDriver, mirror: Mirror) -> None:
    mirror.follow()
    with origin.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET owner = 'bob' WHERE id = 'alice/small-sums'")
        journal.record_transfer(work, "alice/small-sums", "bob")
    mirror.follow()
    assert mirror.api.get(SUMS).json()["owner"] == "bob"
    with origin.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE packages SET owner = 'eve' WHERE id = 'alice/small-sums'")
    mirror.wait(24 * 3600 + 60)
    mirror.follow()
    assert mirror.api.get(SUMS).json()["owner"] == "bob", "no transfer to eve is in the journal"


def test_a_hub_of_its_own_becomes_no_mirror(origin: ActionDriver) -> None:
    with pytest.raises(InvalidRequestError, match="journal of its own"), origin.writing() as work:
        journal.follow(work.session, "https://origin.test")


def test_nothing_can_be_written_and_the_other_hub_is_named(mirror: Mirror) -> None:
    mirror.follow()
    for method, path in [("POST", "/api/v1/accounts"), ("POST", "/login"), ("DELETE", "/api/v1/packages/alice/small-sums/releases/1.0.0"),
                         ("POST", f"{SUMS}/releases/1.0.0/score"), ("PUT", "/nothing"), ("POST", "/api/v1/packages")]:  # fmt: skip
        answer = mirror.api.request(method, path, content=b"x" * 100)
        assert answer.status_code == 403, path
        assert answer.json()["code"] == "mirror"
        assert "https://origin.test" in answer.json()["detail"]
    assert mirror.api.post("/theme", data={"theme": "dark", "back": "/"}).status_code == 303


def test_a_mirror_can_be_mirrored(origin: ActionDriver, mirror: Mirror, tmp_path: Path, sqlite_template: Path) -> None:
    """What is given on is what the first hub has signed, so the second mirror believes no more than the first."""
    mirror.follow()
    second = Mirror(origin, tmp_path / "second", sqlite_template)
    second.wire.api = mirror.api
    assert second.follow()
    assert second.state.startswith("ok: 3 entries"), second.state
    for path in (f"{SUMS}/releases/1.1.0", "/api/v1/journal/checkpoint", "/api/v1/keys"):
        assert second.api.get(path).text == mirror.api.get(path).text
    second.services.close()


def test_an_authors_signature_comes_along_and_a_false_one_does_not(origin: ActionDriver, mirror: Mirror) -> None:
    key, wheel = Ed25519PrivateKey.from_private_bytes(b"a" * 32), make_package(version="2.0.0")
    author = sign_release(key, "alice/small-sums", "2.0.0", digest_of(wheel))
    origin.publish(ALICE, version="2.0.0")
    columns = f"author_key = '{author.public_key}', author_signature = '{author.signature}'"
    with origin.writing() as work:
        work.session.connection().exec_driver_sql(f"UPDATE releases SET {columns}")
    mirror.follow()
    assert mirror.api.get(f"{SUMS}/releases/2.0.0").json()["author_signature"] == author.model_dump()
    assert mirror.api.get(f"{SUMS}/releases/1.0.0").json()["author_signature"] is None, "it is not of these bytes"


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_mirror_on_postgresql_follows_measures_and_forgets_alike(
    origin: ActionDriver, database: Database, tmp_path: Path, sqlite_template: Path
) -> None:
    mirror = Mirror(origin, tmp_path / "mirror", sqlite_template, database)
    assert mirror.follow()
    assert mirror.state.startswith("ok: 3 entries"), mirror.state
    same(origin, mirror, f"{SUMS}/releases/1.1.0")
    same(origin, mirror, "/api/v1/journal/releases/bob/other/1.0.0")
    origin.do(operator(), moderation.take_down_package, "bob/other", "all of it")
    origin.publish(ALICE, version="1.2.0")
    assert mirror.follow()
    assert mirror.pages() == ["alice/small-sums"]
    assert mirror.api.get(f"{SUMS}/releases/latest").json()["version"] == "1.2.0"
    mirror.services.close()
