"""An account is deleted by its own name alone, after a question, and its token is forgotten here."""

import json

import httpx

from hub_client.settings import ClientSettings
from hub_client.transport.credentials import CredentialsFile
from tests.making.scripted_hub import problem

ALICE = {"name": "alice", "created_at": "2026-11-01T00:00:00Z", "organizations": []}


def test_it_asks_for_the_name_and_once_more(verihub, scripted, monkeypatch):
    scripted.on("GET", "/account", ALICE)
    said = verihub("account", "delete", "bob", "--yes")
    assert (said.code, "is alice" in said.err) == (2, True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert verihub("account", "delete", "alice").code == 2
    assert {line.partition(" ")[0] for line in scripted.asked} == {"GET"}


def test_it_is_deleted_and_the_token_forgotten(verihub, scripted):
    settings = ClientSettings.load()
    kept = CredentialsFile(settings.config_dir)
    kept.store(settings.url, "alice", "verihub_pat_hunter2")
    scripted.on("GET", "/account", ALICE)
    scripted.on("POST", "/account/deletion", problem(409, "still_used", "alice still owns alice/sums"))
    refused = verihub("account", "delete", "alice", "--yes")
    assert (refused.code, "alice/sums" in refused.err) == (5, True)
    assert kept.find(settings.url) is not None
    scripted.on("POST", "/account/deletion", httpx.Response(204))
    assert verihub("account", "delete", "alice", "--yes").out.strip() == "the account alice is deleted"
    assert json.loads(scripted.bodies[-1]) == {"name": "alice"}
    assert kept.find(settings.url) is None


def test_a_new_password_ends_every_token_this_machines_too(verihub, at_hub, typed):
    new = "another long passphrase"
    typed("not my password\n" + new + "\n")
    assert verihub("account", "password").code == 3
    assert verihub("whoami").code == 0, "nothing was changed"
    typed("correct horse battery staple\nshort\n")
    assert verihub("account", "password").code == 2
    typed("correct horse battery staple\n" + new + "\n")
    said = verihub("account", "password")
    assert (said.code, f"verihub login --name {at_hub}" in said.err) == (0, True), said.err
    assert new not in said.out + said.err
    assert verihub("whoami").code == 3
    typed(new)
    assert verihub("login", "--name", at_hub, "--password-stdin").code == 0
    typed(new + "\n")
    said = verihub("account", "activity")
    assert said.code == 0, said.err
    assert "password" in said.out.lower()


STANDING = {
    "account": "alice",
    "points": -2,
    "has_standing": False,
    "rank": "new",
    "missing": 5,
    "waiting": 1,
    "quotas": {"waiting": 2, "cases": 20, "labels": 25, "words": 5},
    "items": [
        {"at": "2026-11-28T12:00:00Z", "points": -3, "why": "a moderator refused its label", "package": "bo/sums",
         "case": "c2", "version": "1.0.0"},
    ],
    "next": "more",
}  # fmt: skip


def test_standing_says_the_sum_what_is_missing_and_each_case(verihub, scripted):
    scripted.on("GET", "/account", ALICE)
    earned = {"at": "2026-11-27T12:00:00Z", "points": 1, "why": "a moderator confirmed its label"}
    last = {**STANDING, "items": [earned], "next": None}
    scripted.on(
        "GET",
        "/accounts/alice/standing",
        lambda request: httpx.Response(200, json=last if "cursor" in str(request.url) else STANDING),
    )
    said = verihub("account", "standing").out
    assert "alice: -2 points, 5 more for standing" in said
    assert "at most 2 cases that wait against one package" in said
    assert "2026-11-28 -3 bo/sums c2: a moderator refused its label" in said
    assert "2026-11-27 +1 a case that moderators hide: a moderator confirmed its label" in said
    scripted.on("GET", "/accounts/bob/standing", {**STANDING, "account": "bob", "points": 1, "next": None})
    assert "bob: 1 point" in verihub("account", "standing", "bob").out
