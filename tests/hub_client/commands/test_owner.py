"""Who has a package, from the command line: nothing is given, closed or deleted by a slip."""

import json

import httpx
import pytest

from tests.making.scripted_hub import card_of, problem
from tests.making.wheel import make_wheel

SUMS = "alice/small-sums"
PATH = "/packages/alice/small-sums"
OFFER = {
    "package": SUMS, "from_owner": "alice", "to_owner": "lab", "offered_by": "alice", "state": "open",
    "offered_at": "2026-11-01T00:00:00Z", "answered_by": "", "answered_at": None,
}  # fmt: skip
GIVEN = OFFER | {"state": "accepted", "answered_by": "ann", "answered_at": "2026-11-02T00:00:00Z"}
DETAIL = {"card": json.loads(card_of(SUMS).model_dump_json()), "owner": "alice", "created_at": "2026-11-01T00:00:00Z",
          "releases": []}  # fmt: skip


def test_a_package_is_offered_and_the_receiver_told_how_to_take_it(verihub, scripted):
    scripted.on("POST", f"{PATH}/transfer", OFFER, status=201)
    said = verihub("owner", "offer", SUMS, "lab")
    assert (said.code, json.loads(scripted.bodies[-1])) == (0, {"to": "lab"})
    assert "verihub owner accept alice/small-sums" in said.out
    assert verihub("owner", "offer", SUMS, "No Name").code == 2


@pytest.mark.parametrize(("word", "accept", "said"), [("accept", True, f"{SUMS} is lab's"),
                                                      ("decline", False, f"declined: {SUMS} stays alice's")])  # fmt: skip
def test_an_offer_is_answered(verihub, scripted, word, accept, said):
    scripted.on("POST", f"{PATH}/transfer/answer", GIVEN if accept else OFFER | {"state": "declined"})
    assert verihub("owner", word, SUMS).out.strip() == said
    assert json.loads(scripted.bodies[-1]) == {"accept": accept}


def test_offers_are_listed_and_taken_back(verihub, scripted):
    scripted.on("GET", "/account/transfers", {"items": [OFFER]})
    assert verihub("owner", "offers").out.strip() == f"{SUMS}: is offered to lab (by alice, 2026-11-01)"
    scripted.on("GET", "/account/transfers", {"items": []})
    assert verihub("owner", "offers").out.strip() == "no offers"
    scripted.on("DELETE", f"{PATH}/transfer", httpx.Response(204))
    assert verihub("owner", "take-back", SUMS).code == 0


def test_it_says_who_has_a_package_and_who_had_it(verihub, scripted):
    scripted.add(make_wheel())
    scripted.on("GET", f"{PATH}/transfers", {"items": [GIVEN]})
    said = verihub("owner", "show", SUMS)
    assert said.out.splitlines()[1].strip() == f"{SUMS}: given by alice to lab on 2026-11-02"
    assert verihub("owner", "show", SUMS, "-q").out.strip() == "alice"


def test_what_is_not_named_of_a_profile_stays(verihub, scripted):
    said = {"name": "lab", "kind": "organization", "created_at": "2026-11-01T00:00:00Z", "display_name": "The Lab",
            "description": "Chemistry.", "link": "", "hidden_reason": None}  # fmt: skip
    scripted.on("GET", "/owners/lab", said)
    assert verihub("owner", "profile", "lab").out.splitlines()[1].strip() == "The Lab"
    scripted.on("PUT", "/owners/lab", said | {"link": "https://example.org"})
    changed = verihub("owner", "profile", "lab", "--link", "https://example.org", "--description", "")
    assert json.loads(scripted.bodies[-1]) == {
        "display_name": "The Lab", "description": "", "link": "https://example.org",
    }  # fmt: skip
    assert "https://example.org" in changed.out
    refused = verihub("owner", "profile", "lab", "--link", "ftp://example.org")
    assert (refused.code, "whole http or https address" in refused.err) == (2, True)


def test_archiving_wants_a_reason(verihub, scripted):
    assert verihub("owner", "archive", SUMS).code == 2
    scripted.on("POST", f"{PATH}/archive", DETAIL)
    scripted.on("POST", f"{PATH}/unarchive", DETAIL)
    assert verihub("owner", "archive", SUMS, "--reason", "use big-sums").out.strip() == f"{SUMS} is archived"
    assert json.loads(scripted.bodies[-1]) == {"reason": "use big-sums"}
    assert verihub("owner", "unarchive", SUMS).out.strip() == f"{SUMS} is open"


@pytest.mark.parametrize("reference", [f"{SUMS}@latest", f"{SUMS}@>=1"])
def test_what_may_mean_another_release_tomorrow_is_not_deleted(verihub, scripted, reference):
    said = verihub("owner", "delete", reference, "--yes")
    assert (said.code, scripted.asked) == (2, [])
    assert "name one release" in said.err


def test_a_deletion_is_asked_for_once_more(verihub, scripted, monkeypatch):
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert (verihub("owner", "delete", SUMS).code, scripted.asked) == (2, [])
    scripted.on("DELETE", PATH, httpx.Response(204))
    scripted.on("DELETE", f"{PATH}/releases/1.0.0", problem(409, "still_used", "others have built on it"))
    assert verihub("owner", "delete", SUMS, "--yes").code == 0
    refused = verihub("owner", "delete", f"{SUMS}@1.0.0", "--yes")
    assert (refused.code, "others have built on it" in refused.err) == (5, True)


def test_a_run_is_deleted_when_asked_once_more(verihub, scripted, monkeypatch):
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert (verihub("owner", "delete-run", "r1").code, scripted.asked) == (2, [])
    scripted.on("DELETE", "/runs/r1", httpx.Response(204))
    assert verihub("owner", "delete-run", "r1", "--yes").out.strip() == "run r1 is deleted"
    scripted.on("DELETE", "/runs/r2", problem(404, "run_not_found", "There is no run 'r2' on this hub."))
    assert verihub("owner", "delete-run", "r2", "--yes").code == 4


def test_the_new_owners_name_is_answered_with_the_one_that_the_package_kept(verihub, scripted):
    """The hub leads readers on; the client uses nothing under a name that was not asked for."""
    scripted.add(make_wheel())
    scripted.on("GET", "/packages/lab/small-sums", httpx.Response(307, headers={"Location": f"/api/v1{PATH}"}))
    for command in ("info", "pull"):
        said = verihub(command, "lab/small-sums")
        assert (said.code, "ask for alice/small-sums" in said.err) == (4, True), said.err
