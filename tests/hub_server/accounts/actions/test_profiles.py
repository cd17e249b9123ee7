"""What an owner says of itself: who may write it, what may stand in it, and what moderators hide."""

from typing import Any

import httpx
import pytest

from tests.making.hub import Api

SAID = {"display_name": "Our Lab", "description": "Verifiers for chemistry.", "link": "https://example.org/lab"}
EMPTY = {"display_name": "", "description": "", "link": ""}


def say(who: Api, owner: str, **fields: Any) -> httpx.Response:
    return who.request("PUT", f"/api/v1/owners/{owner}", json=fields)


def read(who: Api, owner: str) -> dict[str, Any]:
    answer = who.get(f"/api/v1/owners/{owner}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_person_and_an_owner_of_an_organisation_say_who_they_are_and_nobody_else_does(alice: Api) -> None:
    bob, anyone = alice.sign_up("bob"), alice.as_token(None)
    person = alice.as_person()
    assert person.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    for owner, kind in (("alice", "person"), ("lab", "organization")):
        assert say(person, owner, **SAID).status_code == 200
        assert read(anyone, owner) | SAID == read(anyone, owner)
        assert read(anyone, owner)["kind"] == kind
        assert say(bob.as_person(), owner, description="bob was here").status_code == 403
        assert say(alice, owner, description="by a token").status_code == 403, "a token manages no account"
        assert read(anyone, owner)["description"] == SAID["description"]
    member = {"account": "bob", "role": "maintainer"}
    assert person.request("PUT", "/api/v1/organizations/lab/members", json=member).status_code == 200
    assert bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True}).status_code == 200
    assert say(bob.as_person(), "lab", **EMPTY).status_code == 403, "a maintainer publishes, and no more"
    assert say(person, "lab").json() | EMPTY == read(anyone, "lab"), "what is left out is emptied"
    assert say(person, "nobody").status_code == 404


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # the model refuses, before any database
@pytest.mark.parametrize(
    "wrong",
    [
        {"link": "javascript:alert(1)"},
        {"link": "https://example.org@evil.example/"},
        {"link": "https://e.org/" + "x" * 500},
        {"description": "x" * 501},
        {"display_name": "x" * 121},
        {"display_name": "Ann \u202e nnA"},
        {"description": "one \x1b[2J two"},
        {"description": "half \ud800"},
    ],
)
def test_what_could_deceive_or_overflow_is_refused(alice: Api, wrong: dict[str, str]) -> None:
    person = alice.as_person()
    body = "{" + ", ".join(f'"{name}": "{_escaped(text)}"' for name, text in wrong.items()) + "}"
    sent = person.request("PUT", "/api/v1/owners/alice", content=body, headers={"content-type": "application/json"})
    assert sent.status_code == 422, sent.text
    assert read(person, "alice") | EMPTY == read(person, "alice")


def _escaped(text: str) -> str:
    return "".join(
        character if character.isascii() and character >= " " else f"\\u{ord(character):04x}" for character in text
    )


def test_moderators_hide_it_from_strangers_and_the_log_says_why(alice: Api) -> None:
    moda, anyone = alice.sign_up("moda").as_person(), alice.as_token(None)
    assert say(alice.as_person(), "alice", **SAID).status_code == 200
    assert alice.as_person().post("/api/v1/accounts/alice/profile/hide", json={"reason": "x"}).status_code == 403
    assert moda.post("/api/v1/accounts/alice/profile/hide", json={"reason": "It is an advert."}).status_code == 204
    assert read(anyone, "alice") | EMPTY == read(anyone, "alice")
    assert read(anyone, "alice")["hidden_reason"] == "It is an advert."
    assert "chemistry" not in anyone.get("/owners/alice", headers={"accept": "text/html"}).text
    assert read(alice, "alice") | SAID == read(alice, "alice"), "its owner sees what it is about"
    assert say(alice.as_person(), "alice", description="Another advert.").status_code == 200
    assert read(anyone, "alice")["description"] == "", "a change does not show it again"
    again = moda.post("/api/v1/accounts/alice/profile/hide", json={"reason": "x"})
    assert again.status_code == 422
    assert moda.post("/api/v1/accounts/alice/profile/show", json={"reason": "It was not."}).status_code == 204
    assert read(anyone, "alice")["description"] == "Another advert."
    acts = [one["action"] for one in anyone.get("/api/v1/moderation/events?account=alice").json()["items"]]
    assert acts == ["show_profile", "hide_profile"]


def test_a_suspension_that_hides_content_hides_it_too(alice: Api) -> None:
    moda, anyone = alice.sign_up("moda").as_person(), alice.as_token(None)
    assert say(alice.as_person(), "alice", **SAID).status_code == 200
    suspension = {"reason": "Spam.", "hide_content": True}
    assert moda.post("/api/v1/accounts/alice/suspend", json=suspension).status_code == 204
    assert read(anyone, "alice")["description"] == ""
    assert moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "Settled."}).status_code == 204
    assert read(anyone, "alice") | SAID == read(anyone, "alice")


def test_it_goes_with_the_account(alice: Api) -> None:
    assert say(alice.as_person(), "alice", **SAID).status_code == 200
    assert alice.as_person().post("/api/v1/account/deletion", json={"name": "alice"}).status_code == 204
    assert alice.as_token(None).get("/api/v1/owners/alice").status_code == 404
