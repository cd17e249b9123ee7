"""Publishing: nothing is sent before everything is sound, and waiting ends."""

import itertools

import httpx
import pytest

from hub_client.commands import publish as command
from tests.making.altered_library import alter_library
from tests.making.project import make_project
from tests.making.scripted_hub import NOW, card_of, problem
from tests.making.wheel import make_wheel

PLACE = "/packages/alice/small-sums/releases/1.0.0"


@pytest.fixture
def wheel(scripted, own_folders):
    """A sound wheel on disk, and a hub that takes it."""
    release = scripted.add(make_wheel(), published_by="carol")  # of another account, so that this one sends it too
    scripted.on("GET", "/account", {"name": "alice", "created_at": NOW.isoformat()})
    scripted.on("GET", "/account/author-keys", {"items": []})
    receipt = {
        "release": release.model_dump(mode="json"),
        "created": True,
        "url": "http://hub.example/x",
        "audit_job": "j",
    }
    for path in ("/packages", "/releases", "/publish"):
        scripted.on("POST", path, receipt)
        scripted.on("PUT", path, receipt)
    path = own_folders / "x.whl"
    path.write_bytes(make_wheel())
    return path


def sent(scripted):
    return [call for call in scripted.asked if call.startswith(("POST", "PUT"))]


def record(state, **more):
    return {
        "id": "a1",
        "package": "alice/small-sums",
        "version": "1.0.0",
        "state": state,
        "created_at": NOW.isoformat(),
        **more,
    }


def test_a_bad_token_is_said_before_anything_is_built(verihub, scripted, own_folders):
    scripted.on("GET", "/account", problem(401, "not_authenticated", "no"))
    said = verihub("publish", own_folders / "no-such-folder")
    assert (said.code, scripted.asked) == (3, ["GET /account"])


def test_a_fault_in_the_last_one_leaves_nothing_half_published(verihub, scripted, wheel, tmp_path):
    broken = make_project(tmp_path / "broken")
    (broken / "src/alice_my_check/verihub.toml").write_text("format = 99\n")
    assert verihub("publish", wheel, broken).code == 6
    assert sent(scripted) == []


def test_an_entry_point_that_does_not_exist_spends_no_version(verihub, scripted, wheel, tmp_path):
    """A release never changes: this one would be an F for ever, and the next one needs another number."""
    typo = make_project(tmp_path / "typo")
    manifest = typo / "src/alice_my_check/verihub.toml"
    manifest.write_text(manifest.read_text().replace(":verify", ":verfiy"))
    said = verihub("publish", wheel, typo)
    assert (said.code, sent(scripted)) == (6, [])
    assert "alice/my-check: verihub.toml: verifier = 'alice_my_check:verfiy'" in said.err
    assert "did you mean verify?" in said.err
    assert "nothing was published" in said.err


@pytest.mark.parametrize("content", [None, b"", b"no zip"])
def test_a_wheel_that_is_none_is_not_sent(verihub, scripted, wheel, content):
    wheel.unlink() if content is None else wheel.write_bytes(content)
    assert verihub("publish", wheel).code == 6
    assert sent(scripted) == []


def test_what_becomes_public_is_listed_and_where_it_is_said(verihub, scripted, wheel):
    said = verihub("publish", wheel)
    assert said.code == 0, said.err
    assert "alice_small_sums/tasks.jsonl" in said.err
    assert "alice/small-sums 1.0.0 is published" in said.out
    assert "being measured" in said.out
    assert verihub("publish", wheel, "-q").out.strip() == "alice/small-sums@1.0.0"


def test_what_one_has_published_before_is_not_sent_again(verihub, scripted, wheel):
    """Its bytes went to the hub again, which read all of them: of a stock of hundreds, for minutes."""
    scripted.add(make_wheel(), published_by="alice")
    said = verihub("publish", wheel)
    assert (said.code, sent(scripted)) == (0, []), said.err
    assert scripted.asked == ["GET /account", f"GET {PLACE}"]
    assert "was there already, the same bytes" in said.out
    assert "/packages/alice/small-sums/releases/1.0.0" in said.out
    verihub("publish", wheel, "--dry-run")
    assert sent(scripted) == ["POST /packages"]  # a rehearsal is the hub's to judge


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "quarantined", "state_reason": "The whole package is quarantined: stolen"},
        {"package": "alice/other"},
        {"digest": "sha256:" + "0" * 64},
    ],
    ids=["stopped with its package", "another package", "other bytes"],
)
def test_what_the_hub_must_decide_is_sent(verihub, scripted, wheel, changes):
    """Of a package that moderators have stopped as a whole it said "was there already", and ended with 0."""
    release = scripted.add(make_wheel(), published_by="alice")
    scripted.on("GET", PLACE, release.model_dump(mode="json") | changes)
    verihub("publish", wheel)
    assert sent(scripted) == ["POST /packages"]


def test_who_publishes_again_what_was_yanked_is_told(verihub, scripted, wheel):
    scripted.add(make_wheel(), published_by="alice", state="yanked", state_reason="wrong tasks")
    said = verihub("publish", wheel)
    assert "was there already, the same bytes" in said.out
    assert "but it is yanked: wrong tasks" in said.out


def test_of_several_packages_each_has_one_line(verihub, scripted, wheel, own_folders):
    another = own_folders / "y.whl"
    another.write_bytes(make_wheel())
    said = verihub("publish", wheel, another)
    assert said.code == 0, said.err
    assert said.err.count("(`verihub pack --list`)") == 2
    assert "tasks.jsonl" not in said.err


def test_a_rehearsal_says_that_it_is_one(verihub, scripted, wheel):
    said = verihub("publish", wheel, "--dry-run", "--wait")
    assert said.out.strip() == "alice/small-sums 1.0.0 would be accepted"


def test_what_goes_out_privately_is_said_to(verihub, scripted, wheel):
    assert "1.0.0 is published, and only alice sees it\n" in verihub("publish", wheel, "--private").out
    assert "sees it" not in verihub("publish", wheel).out


@pytest.fixture
def clock(monkeypatch):
    """Each look at the clock is a second later; pauses are counted and take no time."""
    seconds, pauses = itertools.count(), []
    alter_library(monkeypatch, command, "time", monotonic=lambda: float(next(seconds)))
    alter_library(monkeypatch, command, "time", sleep=pauses.append)
    return pauses


def test_a_failed_audit_is_no_success(verihub, scripted, wheel, clock):
    answers = iter([[], [record("running")], [record("failed", error="no \x1b[2J memory")]])
    scripted.on("GET", f"{PLACE}/audits", lambda _: httpx.Response(200, json={"items": next(answers)}))
    said = verihub("publish", wheel, "--wait")
    assert said.code == 6
    assert "the audit of alice/small-sums failed" in said.err
    assert "\x1b[2J" not in said.out + said.err
    assert len(clock) == 2


def test_a_hub_that_never_measures_is_left_with_where_the_release_is(verihub, scripted, wheel, clock):
    said = verihub("publish", wheel, "--wait", "--wait-seconds", "5")
    assert said.code == 8
    assert "is published at http://hub.example/x, but its audit is not finished" in said.err


def test_who_interrupts_the_wait_is_told_that_the_release_is_published(verihub, scripted, wheel, clock, monkeypatch):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    alter_library(monkeypatch, command, "time", sleep=interrupt)
    said = verihub("publish", wheel, "--wait")
    assert said.code == 130
    assert "alice/small-sums 1.0.0 is published, and is measured without you" in said.err


def test_what_needs_no_measuring_is_not_waited_for(verihub, scripted, wheel, clock):
    assert card_of("alice/small-sums").audit_state == "none"
    release = scripted.releases["alice/small-sums"][0].model_dump(mode="json")
    for (method, path), _ in list(scripted.answers.items()):
        if method in ("POST", "PUT"):
            scripted.on(method, path, {"release": release, "created": False, "url": "http://hub.example/x"})
    said = verihub("publish", wheel, "--wait")
    assert (said.code, clock) == (0, [])
    assert "was there already, the same bytes" in said.out


def test_a_suite_says_which_verifiers_it_runs_against_and_where_to_see_whether_it_counts(verihub, scripted, wheel):
    release = scripted.releases["alice/small-sums"][0].model_dump(mode="json")
    suite = {"kind": "suite", "family": "short-number", "audit": ["cases.jsonl"]}
    release["manifest"] = {"format": 1, "id": "alice/small-sums", **suite}
    for (method, path), _ in list(scripted.answers.items()):
        if method in ("POST", "PUT"):
            scripted.on(method, path, {"release": release, "created": True, "url": "http://hub.example/x"})
    said = verihub("publish", wheel)
    assert "runs against verifiers of other owners with [judges.short-number]" in said.out
    assert "its page says whether it counts" in said.out
