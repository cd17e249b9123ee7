"""Copying between hubs: what is needed comes first, the other hub learns no token, and it cannot slip in other names."""

import json

import httpx
import pytest

from schemas.package import PackagePage
from schemas.wheels.wheel import read_wheel
from tests.making.scripted_hub import NOW, ScriptedHub, card_of, problem
from tests.making.wheel import make_wheel

FROM = "http://other.example"
BENCHMARK = """\
format = 1
id = "alice/two-sums"
kind = "benchmark"
environments = ["alice/small-sums@1.0.0"]
split = "train"
"""


@pytest.fixture
def hubs(scripted, monkeypatch):
    """The user's hub, which takes what it is sent, and another one, with the headers that it was sent."""
    there = ScriptedHub()
    there.headers = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host != "other.example":
            return scripted(request)
        there.headers.append(request.headers)
        return there(request)

    def take(request: httpx.Request) -> httpx.Response:
        contents = read_wheel(request.read())
        release = there.releases[contents.manifest.id][-1].model_dump(mode="json")
        return httpx.Response(200, json={"release": release, "created": True, "url": "http://hub.example/x"})

    scripted.on("GET", "/account", {"name": "alice", "created_at": NOW.isoformat()})
    scripted.on("POST", "/packages", take)
    monkeypatch.setattr("hub_client.transport.connection.DeadlineTransport", lambda _: httpx.MockTransport(answer))
    return scripted, there


def benchmark_wheel() -> bytes:
    return make_wheel(name="alice-two-sums", manifest=BENCHMARK)


def page(*ids: str) -> PackagePage:
    return PackagePage(items=[card_of(one) for one in ids], next=None, facets={}, has_every_word=True)


def copied(here: ScriptedHub) -> list[str]:
    posts = [body for call, body in zip(here.asked, here.bodies, strict=True) if call.startswith("POST")]
    return [read_wheel(body).manifest.id for body in posts]


def test_what_is_needed_is_published_before_what_needs_it(hubs, verihub):
    here, there = hubs
    there.add(make_wheel())
    there.add(benchmark_wheel())
    said = verihub("copy", "alice/two-sums", "--from", FROM)
    assert said.code == 0, said.err
    assert copied(here) == ["alice/small-sums", "alice/two-sums"]
    assert said.out.splitlines()[-1] == "2 releases published at http://hub.example"
    assert verihub("copy", "alice/two-sums", "--from", FROM, "-q").out.split() == [
        "alice/small-sums@1.0.0",
        "alice/two-sums@1.0.0",
    ]


def test_an_owner_means_all_packages_that_have_a_release(hubs, verihub):
    here, there = hubs
    there.add(make_wheel())
    there.add(benchmark_wheel())
    empty = card_of("alice/nothing-yet", latest=None)
    found = page("alice/two-sums", "alice/small-sums")
    there.on("GET", "/packages", found.model_copy(update={"items": [*found.items, empty]}))
    assert verihub("copy", "alice", "--from", FROM).code == 0
    assert copied(here) == ["alice/small-sums", "alice/two-sums"]


def test_the_other_hub_never_sees_the_token_for_this_one(hubs, verihub):
    _, there = hubs
    there.add(make_wheel())
    assert verihub("copy", "alice/small-sums", "--from", FROM).code == 0
    assert there.headers
    assert not [headers for headers in there.headers if "authorization" in headers]


def _list(name: str = "bob/good-ones") -> dict:
    entry = {"package": "alice/small-sums", "version": "1.0.0", "note": "short"}
    return {
        "id": name, "owner": "bob", "visibility": "public", "title": "Good ones", "text": "As they are.", "entry_count": 1, "revision": 7,
        "created_at": NOW.isoformat(), "updated_at": NOW.isoformat(), "entries": [entry],
    }  # fmt: skip


def test_a_collection_comes_with_its_packages_and_overwrites_no_revision(hubs, verihub):
    here, there = hubs
    there.add(make_wheel())
    there.on("GET", "/collections/bob/good-ones", _list())
    here.on("PUT", "/collections/bob/good-ones", _list())
    said = verihub("copy", "--collection", "bob/good-ones", "--from", FROM)
    assert said.code == 0, said.err
    assert copied(here) == ["alice/small-sums"]
    assert "collection bob/good-ones" in said.out
    sent = json.loads(here.bodies[[call.startswith("PUT") for call in here.asked].index(True)])
    assert [entry["package"] for entry in sent["entries"]] == ["alice/small-sums"]
    assert sent.get("revision") is None


def test_another_collection_is_not_slipped_in(hubs, verihub):
    here, there = hubs
    there.on("GET", "/collections/bob/good-ones", _list("bob/surprise"))
    assert (verihub("copy", "--collection", "bob/good-ones", "--from", FROM).code, copied(here)) == (7, [])


def test_another_owners_packages_are_not_slipped_in(hubs, verihub):
    here, there = hubs
    there.add(make_wheel())
    there.on("GET", "/packages", page("alice/small-sums", "bob/surprise"))
    said = verihub("copy", "alice", "--from", FROM)
    assert (said.code, copied(here)) == (7, [])
    assert "bob/surprise" in said.err


def test_bytes_that_are_not_what_the_other_hub_lists_are_not_published(hubs, verihub):
    here, there = hubs
    there.add(make_wheel(), sent=make_wheel(version="1.0.1"))
    assert verihub("copy", "alice/small-sums", "--from", FROM).code == 7
    assert copied(here) == []


def test_nothing_is_published_when_one_of_several_cannot_be_had(hubs, verihub):
    here, there = hubs
    there.add(make_wheel())
    assert verihub("copy", "alice/small-sums", "alice/missing", "--from", FROM).code == 4
    assert copied(here) == []


def test_a_missing_token_is_said_before_anything_is_fetched(hubs, verihub):
    here, there = hubs
    here.on("GET", "/account", problem(401, "not_authenticated", "no"))
    assert (verihub("copy", "alice/small-sums", "--from", FROM).code, there.asked) == (3, [])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["alice/small-sums", "--from", "http://hub.example/"], 2, "is the hub that the packages would go to"),
        (["alice/small-sums", "--from", "other.example"], 2, "must start with http"),
        (["nobody", "--from", FROM], 4, "has no package of nobody"),
        (["Alice/Small Sums", "--from", FROM], 2, "is not owner/name"),
        (["alice/small-sums"], 2, "--from"),
        (["--from", FROM], 2, "name packages, an owner, or a --collection"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_sentence(hubs, verihub, words, code, said):
    _, there = hubs
    there.on("GET", "/packages", page())
    answer = verihub("copy", *words)
    assert answer.code == code
    assert said in answer.err


def test_a_release_of_ones_own_package_is_not_slipped_in_by_a_collection(hubs, verihub):
    """Who copies publishes with the own token: the other hub must not decide what alice's next release is."""
    here, there = hubs
    here.add(make_wheel(version="0.9.0"))
    there.add(make_wheel())
    there.on("GET", "/collections/bob/good-ones", _list())
    here.on("PUT", "/collections/bob/good-ones", _list())
    said = verihub("copy", "--collection", "bob/good-ones", "--from", FROM)
    assert (said.code, copied(here)) == (2, [])
    assert "alice/small-sums@1.0.0 would be published too" in said.err
    assert not [call for call in here.asked if call.startswith("PUT")]
    said = verihub("copy", "alice/small-sums", "--collection", "bob/good-ones", "--from", FROM)
    assert (said.code, copied(here)) == (0, ["alice/small-sums"]), said.err


def test_what_is_here_already_is_no_surprise(hubs, verihub):
    here, there = hubs
    there.add(make_wheel(name="bob-needs", manifest=BENCHMARK.replace("alice/two-sums", "bob/needs")))
    there.add(make_wheel())
    here.add(make_wheel())
    assert verihub("copy", "bob/needs", "--from", FROM).code == 0
    assert copied(here) == ["alice/small-sums", "bob/needs"]


def test_nor_by_what_a_package_needs(hubs, verihub):
    here, there = hubs
    there.add(make_wheel(name="bob-needs", manifest=BENCHMARK.replace("alice/two-sums", "bob/needs")))
    there.add(make_wheel())
    here.add(make_wheel(version="0.9.0"))
    said = verihub("copy", "bob/needs", "--from", FROM)
    assert (said.code, copied(here)) == (2, []), said.err
