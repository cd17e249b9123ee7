"""Webhooks from the shell: the secret once, the log in a table, and what makes no sense before anything is asked."""

import json

import httpx
import pytest

HOOK = {
    "id": "w1", "owner": "alice", "package": "alice/sums", "url": "https://hooks.example/x", "events": ["release.yanked"],
    "created_by": "alice", "created_at": "2026-11-25T00:00:00Z",
}  # fmt: skip
SECRET = {"webhook": HOOK, "secret": "whsec_abc"}
SENT = {
    "id": "m1", "type": "webhook.test", "subject": "w1", "state": "waiting", "created_at": "2026-11-25T00:00:00Z", "attempts": 0,
}  # fmt: skip


def test_one_is_added_and_its_secret_shown(verihub, scripted) -> None:
    scripted.on("POST", "/webhooks", SECRET, status=201)
    said = verihub("webhook", "add", "alice/sums", HOOK["url"], "--event", "release.yanked")
    assert said.code == 0
    assert "whsec_abc" in said.out
    sent = json.loads(scripted.bodies[-1])
    assert sent == {"owner": "alice", "package": "alice/sums", "url": HOOK["url"], "events": ["release.yanked"]}
    verihub("webhook", "add", "alice", HOOK["url"])
    assert "package" not in json.loads(scripted.bodies[-1])


def test_all_that_can_be_done_with_one(verihub, scripted) -> None:
    off = {**HOOK, "events": [], "disabled_reason": "Nothing arrived for 5 days."}
    failing = {**HOOK, "package": None, "failing_since": "2026-11-24T00:00:00Z"}
    scripted.on("GET", "/webhooks", {"items": [HOOK, off, failing]})
    listed = verihub("webhook", "list", "alice").out
    assert "Nothing arrived" in listed
    assert "fails since" in listed
    scripted.on("POST", "/webhooks/w1/secret", SECRET)
    assert "whsec_abc" in verihub("webhook", "rotate", "w1").out
    scripted.on("POST", "/webhooks/w1/enable", HOOK)
    assert verihub("webhook", "enable", "w1").out.strip() == "w1: on"
    scripted.on("POST", "/webhooks/w1/test", SENT, status=202)
    assert "m1 is on its way" in verihub("webhook", "test", "w1").out
    failed = {**SENT, "state": "failed", "attempts": 7, "status": 500, "note": "not taken"}
    scripted.on("GET", "/webhooks/w1/deliveries", {"items": [failed, {**SENT, "state": "delivered", "status": 204}]})
    assert "500" in verihub("webhook", "log", "w1").out
    scripted.on("POST", "/webhooks/w1/deliveries/m1/again", SENT, status=202)
    assert verihub("webhook", "again", "w1", "m1").code == 0
    scripted.on("DELETE", "/webhooks/w1", httpx.Response(204))
    assert verihub("webhook", "remove", "w1").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["alice/sums", "ftp://x"],
        ["alice/sums", "https://x y"],
        ["alice/sums", "https://x", "--event", "none"],
        ["alice/s/t", "https://x"],
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_asked(verihub, scripted, arguments) -> None:
    assert verihub("webhook", "add", *arguments).code == 2
    assert scripted.asked == []


def test_without_a_name_the_webhooks_are_mine(verihub, scripted) -> None:
    scripted.on("GET", "/account", {"name": "alice", "created_at": "2026-11-25T00:00:00Z"})
    scripted.on("GET", "/webhooks", {"items": [HOOK]})
    assert HOOK["url"] in verihub("webhook", "list").out
    assert scripted.asked == ["GET /account", "GET /webhooks"]


def test_what_is_no_web_address_is_said_in_words(verihub, scripted) -> None:
    said = verihub("webhook", "add", "alice", "ftp://x")
    assert (said.code, scripted.asked) == (2, [])
    assert "begins with https://" in said.err
