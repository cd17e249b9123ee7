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
