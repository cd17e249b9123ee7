"""Tokens: the secret is shown once and on stdout only, and what cannot be asked for is said in words."""

import json

import pytest

from schemas.account import Scope

TOKEN = {"id": "t1", "name": "ci", "scopes": ["publish"], "created_at": "2026-11-01T00:00:00Z",
         "expires_at": "2026-12-01T00:00:00Z"}  # fmt: skip


@pytest.mark.parametrize("shape", ["human", "quiet"])
def test_the_secret_is_all_of_stdout_and_nothing_of_stderr(verihub, scripted, shape):
    scripted.on("POST", "/tokens", {"token": TOKEN, "secret": "vh_hunter2"})
    said = verihub("token", "create", "ci", "--format", shape)
    assert (said.code, said.out.strip()) == (0, "vh_hunter2")
    assert "hunter2" not in said.err


def test_who_reads_is_told_until_when_it_is_good(verihub, scripted):
    scripted.on("POST", "/tokens", {"token": TOKEN, "secret": "s"})
    assert "good until 2026-12-01; it is not shown again" in verihub("token", "create", "ci").err


def test_scopes_are_those_that_were_named_or_all_but_moderate(verihub, scripted):
    scripted.on("POST", "/tokens", {"token": TOKEN, "secret": "s"})
    verihub("token", "create", "ci", "--scope", "publish", "--scope", "read", "--days", "7")
    verihub("token", "create", "ci")
    sent = [json.loads(body) for body in scripted.bodies]
    assert (sent[0]["scopes"], sent[0]["expires_days"]) == (["publish", "read"], 7)
    assert (set(sent[1]["scopes"]), sent[1]["expires_days"]) == (set(Scope) - {Scope.MODERATE}, 90)


def test_a_token_of_one_package_asks_to_publish_alone(verihub, scripted):
    scripted.on("POST", "/tokens", {"token": TOKEN | {"package": "ann/sums"}, "secret": "s"})
    verihub("token", "create", "ci", "--package", "ann/sums")
    sent = json.loads(scripted.bodies[-1])
    assert (sent["scopes"], sent["package"]) == (["publish"], "ann/sums")
    scripted.on("GET", "/tokens", {"items": [TOKEN | {"package": "ann/sums"}]})
    assert "ann/sums" in verihub("token", "list").out
    assert verihub("token", "create", "ci", "--package", "nonsense").code == 2


def test_a_token_of_one_owner_asks_to_publish_alone(verihub, scripted):
    scripted.on("POST", "/tokens", {"token": TOKEN | {"owner": "lab"}, "secret": "s"})
    verihub("token", "create", "ci", "--owner", "lab")
    sent = json.loads(scripted.bodies[-1])
    assert (sent["scopes"], sent["owner"], "package" in sent) == (["publish"], "lab", False)
    scripted.on("GET", "/tokens", {"items": [TOKEN | {"owner": "lab"}]})
    assert "lab" in verihub("token", "list").out
    assert verihub("token", "create", "ci", "--owner", "lab", "--package", "lab/sums").code == 2


@pytest.mark.parametrize(
    "arguments", [("ci", "--days", "0"), ("ci", "--days", "366"), ("ci", "--scope", "root"), ("",), ("x" * 81,)]
)
def test_what_no_hub_grants_is_refused_before_it_is_asked(verihub, scripted, arguments):
    said = verihub("token", "create", *arguments)
    assert (said.code, scripted.asked) == (2, [])


def test_a_list_shows_no_secret_and_no_tokens_are_said(verihub, scripted):
    scripted.on("GET", "/tokens", {"items": []})
    assert verihub("token", "list").out.strip() == "no tokens"
    scripted.on("GET", "/tokens", {"items": [TOKEN]})
    assert "never" in verihub("token", "list").out
    assert verihub("token", "list", "-q").out.strip() == "t1"


def test_a_token_is_revoked_by_its_id_and_no_other_address_is_asked(verihub, scripted):
    scripted.on("DELETE", "/tokens/t1", None)
    assert verihub("token", "revoke", "t1").out.strip() == "token t1 is revoked"
    verihub("token", "revoke", "../account")
    assert scripted.asked[0] == "DELETE /tokens/t1"
    assert scripted.asked[1].startswith("DELETE /tokens/")
