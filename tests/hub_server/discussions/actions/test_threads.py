"""What was written in private stays with those for whom it was written, whatever becomes of the package."""

import pytest

from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/acme/hush"
ALL = f"{PACKAGE}/discussions"


@pytest.fixture
def acme(api: Api, services) -> Api:
    """alice, who owns an organisation with a private package and a discussion on it."""
    alice = api.sign_up("alice").as_person()
    assert alice.post("/api/v1/organizations", json={"name": "acme"}).status_code == 201
    sent = alice.post("/api/v1/packages?visibility=private", content=make_package("acme/hush"))
    assert sent.status_code == 201, sent.text
    run_jobs(services)
    return alice


def begin(who: Api, title: str) -> str:
    answer = who.post(ALL, json={"title": title, "text": "Words."})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_strangers_neither_read_nor_write_on_a_private_package(api: Api, acme: Api, bob: Api) -> None:
    discussion = begin(acme, "Among us")
    for who in (api, bob):
        for path in (ALL, f"{ALL}/{discussion}"):
            answer = who.get(path)
            assert (answer.status_code, "Among us" in answer.text) == (404, False)
    for method, path, body in (
        ("POST", ALL, {"title": "t", "text": "t"}),
        ("POST", f"{ALL}/{discussion}/posts", {"text": "t"}),
        ("PUT", f"{ALL}/{discussion}/posts/1", {"text": "t"}),
        ("DELETE", f"{ALL}/{discussion}/posts/1", None),
        ("PUT", f"{ALL}/{discussion}/follow", None),
        ("POST", f"{ALL}/{discussion}/close", {}),
    ):
        assert bob.request(method, path, json=body).status_code == 404, path
    assert acme.get(ALL).json()["items"][0]["is_private"] is True


def test_what_was_said_in_private_is_not_made_public_with_the_package(api: Api, acme: Api, bob: Api) -> None:
    discussion = begin(acme, "Our other plans")
    made = acme.post(f"{PACKAGE}/public")
    assert made.status_code == 200, made.text
    assert api.get(PACKAGE).status_code == 200
    for who in (api, bob):
        assert who.get(ALL).json()["items"] == []
        assert who.get(ALL).json()["facets"]["state"] == {"open": 0, "closed": 0}
        assert who.get(f"{ALL}/{discussion}").status_code == 404
    assert acme.get(f"{ALL}/{discussion}").json()["title"] == "Our other plans"
    refused = acme.post(f"{ALL}/{discussion}/posts", json={"text": "more"})
    assert (refused.status_code, "while the package was private" in refused.json()["detail"]) == (409, True)
    begin(acme, "In the open")
    assert [one["title"] for one in api.get(ALL).json()["items"]] == ["In the open"]
