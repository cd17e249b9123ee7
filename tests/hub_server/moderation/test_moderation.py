"""Moderation: reports reach moderators, a quarantine stops downloads and executions, everything is in a public log."""

import pytest

from tests.making.hub import Api, make_package

PACKAGE = "/api/v1/packages/alice/small-sums"
REPORT = {"reason": "malware", "text": "it reads /etc/passwd"}


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def test_a_report_is_seen_by_its_sender_and_moderators_only(alice: Api, bob: Api, moda: Api, api: Api) -> None:
    alice.publish(make_package())
    assert api.post(f"{PACKAGE}/reports", json=REPORT).status_code == 401
    report = bob.post(f"{PACKAGE}/reports", json=REPORT).json()
    assert report["state"] == "open"
    path = f"/api/v1/reports/{report['id']}"
    assert (bob.get(path).status_code, moda.get(path).status_code, alice.get(path).status_code) == (200, 200, 404)
    assert [r["id"] for r in moda.get("/api/v1/reports").json()["items"]] == [report["id"]]
    assert alice.get("/api/v1/reports").status_code == 403


def test_a_token_for_something_else_reports_nothing(alice: Api, bob: Api, moda: Api) -> None:
    alice.publish(make_package())
    made = bob.as_person().post("/api/v1/tokens", json={"name": "ci", "scopes": ["publish", "runs", "read"]}).json()
    refused = bob.as_token(made["secret"]).post(f"{PACKAGE}/reports", json=REPORT)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert moda.get("/api/v1/reports").json()["items"] == []


def test_a_second_report_adds_to_the_first(alice: Api, bob: Api, moda: Api) -> None:
    alice.publish(make_package())
    bob.post(f"{PACKAGE}/reports", json=REPORT)
    bob.post(f"{PACKAGE}/reports", json={**REPORT, "text": "and writes to it"})
    (report,) = moda.get("/api/v1/reports").json()["items"]
    assert "and writes to it" in report["text"]


def test_a_report_ends_with_words_for_its_sender(alice: Api, bob: Api, moda: Api) -> None:
    alice.publish(make_package())
    path = f"/api/v1/reports/{bob.post(f'{PACKAGE}/reports', json=REPORT).json()['id']}"
    decision = {"state": "dismissed", "decision": "it reads its own file"}
    assert alice.post(f"{path}/decision", json=decision).status_code == 403
    moda.post(f"{path}/decision", json=decision)
    ended = bob.get(path).json()
    assert (ended["state"], ended["decision"], ended["decided_by"]) == ("dismissed", "it reads its own file", "moda")


def test_a_quarantined_release_is_visible_and_unusable_until_it_is_let_go(alice: Api, moda: Api, api: Api) -> None:
    alice.publish(make_package(version="1.0.0"))
    alice.publish(make_package(version="1.1.0"))
    release = f"{PACKAGE}/releases/1.1.0"
    assert alice.post(f"{release}/quarantine", json={"reason": "x"}).status_code == 403
    assert moda.post(f"{release}/quarantine", json={"reason": " "}).status_code == 422
    assert moda.post(f"{release}/quarantine", json={"reason": "steals tokens"}).json()["state"] == "quarantined"
    assert api.get(f"{PACKAGE}/releases/latest").json()["version"] == "1.0.0"
    assert api.get(release).json()["state_reason"] == "steals tokens"
    assert api.get(f"{release}/wheel").status_code == 410
    assert "1.1.0" not in api.get("/simple/alice-small-sums/").text
    assert alice.post(f"{release}/unyank").status_code == 410  # its owner cannot undo it
    assert moda.get(f"{release}/wheel").status_code == 200
    moda.post(f"{release}/unquarantine", json={"reason": "it did not"})
    assert api.get(f"{PACKAGE}/releases/latest").json()["version"] == "1.1.0"


def test_a_package_whose_every_release_is_quarantined_is_not_listed(alice: Api, moda: Api, api: Api) -> None:
    alice.publish(make_package())
    moda.post(f"{PACKAGE}/releases/1.0.0/quarantine", json={"reason": "steals tokens"})
    assert api.get("/api/v1/packages").json()["items"] == []
    assert api.get(PACKAGE).status_code == 200


def test_everything_that_moderators_do_is_in_a_public_log(alice: Api, moda: Api, api: Api) -> None:
    alice.publish(make_package())
    moda.post(f"{PACKAGE}/releases/1.0.0/quarantine", json={"reason": "steals tokens"})
    moda.post(f"{PACKAGE}/releases/1.0.0/unquarantine", json={"reason": "it did not"})
    events = api.get("/api/v1/moderation/events?package=alice/small-sums").json()["items"]
    assert [(e["action"], e["actor"], e["reason"]) for e in events] == [
        ("release", "moda", "it did not"),
        ("quarantine", "moda", "steals tokens"),
    ]


def test_yanked_deprecated_and_quarantined_are_three_facts(alice: Api, moda: Api, api: Api) -> None:
    """None of them overwrites another: what was yanked before a quarantine is yanked after it."""
    alice.publish(make_package(version="1.0.0"))
    alice.publish(make_package(version="1.1.0"))
    release = f"{PACKAGE}/releases/1.1.0"
    alice.post(f"{release}/yank", json={"reason": "wrong sums"})
    for change in ("deprecate", "undeprecate"):
        answer = alice.post(f"{release}/{change}", json={"reason": "use 2"}).json()
        assert (answer["state"], answer["state_reason"]) == ("yanked", "wrong sums")
        assert api.get(f"{PACKAGE}/releases/latest").json()["version"] == "1.0.0"
    alice.post(f"{release}/deprecate", json={"reason": "use 2"})
    moda.post(f"{release}/quarantine", json={"reason": "steals tokens"})
    ended = moda.post(f"{release}/unquarantine", json={"reason": "it did not"}).json()
    assert (ended["state"], ended["state_reason"]) == ("yanked", "wrong sums")
    assert api.get(f"{PACKAGE}/releases/latest").json()["version"] == "1.0.0"
    unyanked = alice.post(f"{release}/unyank").json()
    assert (unyanked["state"], unyanked["state_reason"]) == ("deprecated", "use 2")
    assert alice.post(f"{release}/undeprecate").json()["state"] == "active"
    assert api.get(f"{PACKAGE}/releases/latest").json()["version"] == "1.1.0"


def test_a_change_of_a_package_that_no_grammar_allows_is_a_refusal(alice: Api) -> None:
    for change in ("yank", "unyank", "deprecate", "undeprecate"):
        answer = alice.post(f"/api/v1/packages/0/0/releases/0/{change}", json={"reason": "x"})
        assert answer.status_code in (403, 404, 422), change
