"""A report says what was seen of which release, and nothing is sent without it."""

import json

import pytest

PATH = "/packages/mallory/sums/reports"
SENT = {
    "id": "r1", "package": "mallory/sums", "version": "1.0.0", "reason": "malware", "text": "x", "reporter": "alice",
    "created_at": "2026-11-01T00:00:00Z", "state": "open",
}  # fmt: skip


def test_moderators_are_told_what_was_seen(verihub, scripted):
    scripted.on("POST", PATH, SENT, status=201)
    said = verihub("report", "mallory/sums@1.0.0", "--reason", "malware", "--text", " opens a socket ")
    assert said.code == 0
    assert "r1" in said.out
    assert json.loads(scripted.bodies[-1]) == {"reason": "malware", "text": "opens a socket", "version": "1.0.0"}


def test_a_person_or_an_organisation_is_reported_by_its_name(verihub, scripted):
    about = {"package": None, "version": None, "account": "mallory", "reason": "dishonest"}
    scripted.on("POST", "/owners/mallory/reports", {**SENT, **about}, status=201)
    said = verihub("report", "mallory", "--reason", "dishonest", "--text", "it says it is alice")
    assert (said.code, "r1" in said.out) == (0, True)
    assert json.loads(scripted.bodies[-1]) == {"reason": "dishonest", "text": "it says it is alice"}


@pytest.mark.parametrize("name", ["small-sums", "mallory@1.0.0", "Mallory", "..", "a", "", "mallory\n", "m" * 40])
def test_what_can_be_no_owner_is_told_apart_before_anything_is_sent(verihub, scripted, name):
    said = verihub("report", name, "--reason", "spam", "--text", "x")
    assert said.code == 2
    assert "OWNER/NAME" in said.err
    assert scripted.asked == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("mallory/sums", "--reason", "malware"),
        ("mallory/sums", "--reason", "ugly", "--text", "x"),
        ("mallory/sums@>=1", "--reason", "spam", "--text", "x"),
        ("mallory/sums", "--text", "x"),
        ("mallory/sums", "--reason", "spam", "--text", "x" * 5000),
    ],
)
def test_what_moderators_cannot_act_on_is_no_report(verihub, scripted, arguments):
    assert verihub("report", *arguments).code == 2
    assert scripted.asked == []
