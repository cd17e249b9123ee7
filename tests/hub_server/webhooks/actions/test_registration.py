"""Who may name a webhook, on both databases, and what she is shown of it."""

import pytest

from tests.making.hub import Api, make_package

HOOKS = "/api/v1/webhooks"
URL = "https://hooks.example/x"


def add(api: Api, **changes: object):
    return api.post(HOOKS, json={"owner": "alice", "url": URL, **changes})


def test_a_secret_is_shown_once_and_never_cached(api: Api, alice: Api) -> None:
    person = alice.as_person()
    made = add(person, events=["release.yanked", "release.yanked", "case.counts"])
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    secret, hook = made.json()["secret"], made.json()["webhook"]
    assert secret.startswith("whsec_")
    assert hook["events"] == ["case.counts", "release.yanked"]
    for path in (
        f"{HOOKS}?owner=alice",
        f"{HOOKS}/{hook['id']}",
        f"{HOOKS}/{hook['id']}/deliveries",
        "/api/v1/account/activity",
    ):
        answer = person.get(path)
        assert (answer.status_code, secret in answer.text) == (200, False)
    assert person.get(f"{HOOKS}?owner=alice").json()["items"] == [hook]


def test_rotation_shows_another_and_says_how_long_the_former_one_counts(alice: Api, clock) -> None:
    person = alice.as_person()
    made = add(person).json()
    again = person.post(f"{HOOKS}/{made['webhook']['id']}/secret")
    assert again.headers["cache-control"] == "no-store"
    assert again.json()["secret"] not in ("", made["secret"])
    assert again.json()["webhook"]["former_secret_until"] is not None


def test_only_a_person_of_the_owner_with_the_password_just_typed(api: Api, alice: Api, bob: Api) -> None:
    hook = add(alice.as_person()).json()["webhook"]["id"]
    assert add(api).status_code == 401
    assert add(alice).json()["code"] == "password_needed"
    assert add(bob.as_person()).status_code == 403
    stranger = bob.as_person()
    assert stranger.get(f"{HOOKS}?owner=alice").status_code == 403
    for method, path in (
        ("GET", hook), ("DELETE", hook), ("POST", f"{hook}/secret"), ("POST", f"{hook}/enable"), ("POST", f"{hook}/test"),
        ("GET", f"{hook}/deliveries"), ("POST", f"{hook}/deliveries/x/again"),
    ):  # fmt: skip
        told = [stranger.request(method, f"{HOOKS}/{path.replace(hook, one)}") for one in (hook, "0" * 22)]
        assert [answer.status_code for answer in told] == [404, 404], path
        assert told[0].json()["detail"].replace(hook, "") == told[1].json()["detail"].replace("0" * 22, "")


def test_who_leaves_an_organisation_has_its_webhooks_no_more(api: Api, alice: Api, bob: Api) -> None:
    person = alice.as_person()
    person.post("/api/v1/organizations", json={"name": "acme"})
    person.request("PUT", "/api/v1/organizations/acme/members", json={"account": "bob", "role": "maintainer"})
    member = bob.as_person()
    assert member.post("/api/v1/organizations/acme/invitation", json={"accept": True}).status_code < 300
    hook = add(member, owner="acme").json()["webhook"]["id"]
    assert member.get(f"{HOOKS}/{hook}").status_code == 200
    assert person.request("DELETE", "/api/v1/organizations/acme/members/bob").status_code == 200
    assert member.get(f"{HOOKS}/{hook}").status_code == 404
    assert person.get(f"{HOOKS}/{hook}").status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "ftp://x.example"}, {"url": "https://a@x.example/"}, {"url": "https://x.example:25/"}, {"url": "https://x y/"},
        {"url": "https://x.example/\r\nX: y"}, {"url": "https://bücher.example/"}, {"url": "https://x.example/" + "a" * 2000},
        {"url": ""}, {"events": ["nothing"]}, {"package": "bob/x"}, {"package": "x"}, {"events": ["run.finished"] * 99},
    ],
)  # fmt: skip
def test_what_cannot_be_a_webhook_is_refused(alice: Api, changes: dict[str, object]) -> None:
    assert add(alice.as_person(), **changes).status_code == 422


def test_an_owner_has_few(alice: Api) -> None:
    person = alice.as_person()
    assert [add(person).status_code for _ in range(22)] == [201] * 20 + [422] * 2


def test_a_removed_webhook_is_gone_with_its_log(alice: Api, services) -> None:
    person = alice.as_person()
    hook = add(person).json()["webhook"]["id"]
    assert person.post(f"{HOOKS}/{hook}/test").status_code == 202
    assert person.request("DELETE", f"{HOOKS}/{hook}").status_code == 204
    assert person.get(f"{HOOKS}/{hook}").status_code == 404
    alice.publish(make_package())
