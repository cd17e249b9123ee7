"""Collections over HTTP, on both databases: who writes, who reads, what a stranger or a lying body can do."""

import json
import threading
from typing import Any

import pytest

from hub_server.collections.rules import MOST_OF_AN_OWNER
from hub_server.kernel.services import Services
from schemas.collections import MOST_ENTRIES
from tests.making.hub import Api, make_package

PATH = "/api/v1/collections/alice/sums"
SUMS = "alice/small-sums"


def body(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"title": "Sums for small models", "text": "Begin *here*.", "entries": list(entries)} | more


@pytest.fixture
def published(alice: Api) -> Api:
    for version in ("1.0.0", "1.1.0"):
        assert alice.publish(make_package(version=version)).status_code == 201
    return alice


def ids(api: Api, query: str = "") -> list[str]:
    return [item["id"] for item in api.get(f"/api/v1/collections{query}").json()["items"]]


def test_a_collection_is_written_read_changed_and_deleted(api: Api, published: Api) -> None:
    entries = ({"package": SUMS, "note": "Short."}, {"package": SUMS, "version": "1.0.0", "note": "The paper's."})
    made = published.request("PUT", PATH, json=body(*entries))
    assert made.status_code == 200, made.text
    read = api.get(PATH).json()
    assert (read["id"], read["revision"], read["entry_count"], read["owner"]) == ("alice/sums", 1, 2, "alice")
    assert [(one["package"], one["version"], one["note"]) for one in read["entries"]] == [
        (SUMS, None, "Short."),
        (SUMS, "1.0.0", "The paper's."),
    ]
    assert read["entries"][0]["card"]["latest"] == "1.1.0"
    changed = published.request("PUT", PATH, json=body(entries[1], title="Other", revision=1)).json()
    assert (changed["revision"], changed["title"], changed["entry_count"]) == (2, "Other", 1)
    assert published.request("DELETE", PATH).status_code == 204
    assert api.get(PATH).json()["code"] == "collection_not_found"
    assert ids(api) == []


def test_who_was_slower_is_told_and_overwrites_nothing(published: Api) -> None:
    assert published.request("PUT", PATH, json=body(revision=0)).status_code == 200
    for revision, words in ((0, "already"), (7, "revision 1 by now (by alice)")):
        late = published.request("PUT", PATH, json=body(title="Late", revision=revision))
        assert (late.status_code, late.json()["code"]) == (409, "collection_changed")
        assert words in late.json()["detail"]
    assert published.get(PATH).json()["title"] == "Sums for small models"
    published.request("DELETE", PATH)
    assert published.request("PUT", PATH, json=body(revision=1)).status_code == 409


def test_only_its_owner_writes_it(api: Api, published: Api, bob: Api) -> None:
    assert published.request("PUT", PATH, json=body()).status_code == 200
    for who, status in ((api, 401), (bob, 403)):
        assert who.request("PUT", PATH, json=body(title="Mine")).status_code == status
        assert who.request("DELETE", PATH).status_code == status
    assert published.get(PATH).json()["title"] == "Sums for small models"


def test_members_of_an_organisation_write_its_collections(published: Api, bob: Api) -> None:
    person = published.as_person()
    assert person.post("/api/v1/organizations", json={"name": "acme"}).status_code == 201
    path = "/api/v1/collections/acme/sums"
    assert bob.request("PUT", path, json=body()).status_code == 403
    made = published.request("PUT", path, json=body(visibility="private")).json()
    assert made["visibility"] == "private"
    assert bob.get(path).status_code == 404


def test_what_is_private_is_told_to_nobody_else(api: Api, published: Api, bob: Api) -> None:
    assert (
        published.post("/api/v1/packages?visibility=private", content=make_package("alice/secret")).status_code == 201
    )
    public = published.request("PUT", PATH, json=body({"package": "alice/secret"}))
    assert (public.status_code, "make the collection private" in public.json()["detail"]) == (422, True)
    made = published.request("PUT", PATH, json=body({"package": "alice/secret"}, visibility="private"))
    assert (made.status_code, made.json()["entry_count"]) == (200, 1)
    for who in (api, bob):
        assert who.get(PATH).json()["code"] == "collection_not_found"
        assert ids(who) == ids(who, "?q=sums") == ids(who, "?owner=alice") == ids(who, "?package=alice/secret") == []
        unseen = bob.request("PUT", "/api/v1/collections/bob/x", json=body({"package": "alice/secret"}))
        never = bob.request("PUT", "/api/v1/collections/bob/x", json=body({"package": "alice/never"}))
        assert unseen.json()["detail"].replace("secret", "never") == never.json()["detail"]
    opened = published.request("PUT", PATH, json=body({"package": "alice/secret"}, visibility="public"))
    assert opened.status_code == 422, "it still holds a private package"
    assert published.request("PUT", PATH, json=body(visibility="public")).json()["visibility"] == "public"
    closed = published.request("PUT", PATH, json=body(visibility="private"))
    assert (closed.status_code, "is public, and was read" in closed.json()["detail"]) == (409, True)


def test_a_private_package_of_a_member_does_not_get_into_the_organisations_collection(published: Api) -> None:
    published.as_person().post("/api/v1/organizations", json={"name": "acme"})
    published.post("/api/v1/packages?visibility=private", content=make_package("alice/secret"))
    answer = published.request(
        "PUT", "/api/v1/collections/acme/all", json=body({"package": "alice/secret"}, visibility="private")
    )
    assert (answer.status_code, "another owner than acme" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"title": " "}, 422),
        ({"title": "x" * 121}, 422),
        ({"title": "two\nlines"}, 422),
        ({"text": "x" * 20_001}, 422),
        ({"text": "half \ud800"}, 422),
        ({"entries": [{"package": SUMS, "note": "x" * 501}]}, 422),
        ({"entries": [{"package": SUMS}, {"package": SUMS}]}, 422),
        ({"entries": [{"package": SUMS, "version": "9.9"}]}, 404),
        ({"entries": [{"package": SUMS, "version": ">=1"}]}, 422),
        ({"entries": [{"package": "alice/none"}]}, 404),
        ({"entries": [{"package": "../etc"}]}, 422),
        ({"entries": [{"package": f"alice/p{n}"} for n in range(MOST_ENTRIES + 1)]}, 422),
        ({"revision": 2**31}, 422),
        ({"revision": -1}, 422),
        ({"owner": "bob"}, 422),
    ],
)
def test_a_body_that_makes_no_sense_changes_nothing(published: Api, change: dict[str, Any], status: int) -> None:
    sent = json.dumps(body() | change)
    answer = published.request("PUT", PATH, content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    assert ids(published) == []


@pytest.mark.parametrize("name", ["Sums", "a--b", "-a", "x" * 140])
def test_a_collection_is_named_like_a_package(published: Api, name: str) -> None:
    assert published.request("PUT", f"/api/v1/collections/alice/{name}", json=body()).status_code == 422


def test_nul_is_text_on_both_databases(published: Api) -> None:
    assert published.request("PUT", PATH, json=body(text="a\x00b")).status_code in (200, 422)
    assert published.get("/api/v1/collections", params={"q": "a\x00b"}).status_code == 200


def test_an_owner_has_so_many_and_no_more(published: Api, services: Services) -> None:
    with services.database.writing() as session:
        connection = session.connection()
        for number in range(MOST_OF_AN_OWNER):
            connection.exec_driver_sql(
                "INSERT INTO collections (id, owner, name, title, text, is_private, revision, created_at, updated_at, "
                f"updated_by) SELECT 'c{number}', 'alice', 'n{number}', 't', '', (1 = 0), 1, created_at, created_at, 'alice' "
                "FROM accounts WHERE name = 'alice'"
            )
    answer = published.request("PUT", PATH, json=body())
    assert (answer.status_code, "which is the limit" in answer.json()["detail"]) == (422, True)


def test_words_find_it_and_pages_go_on(api: Api, published: Api) -> None:
    for number in range(3):
        path = f"/api/v1/collections/alice/sums-{number}"
        published.request("PUT", path, json=body({"package": SUMS}, title=f"List {number}", text="50% of_all sums"))
    assert ids(api, "?q=LIST+1") == ["alice/sums-1"]
    assert ids(api, "?q=50%25") == ids(api, "?q=of_all") == ["alice/sums-2", "alice/sums-1", "alice/sums-0"]
    assert ids(api, "?q=o__all") == [], "an underscore is a letter of its own"
    assert ids(api, f"?package={SUMS}&owner=alice") == ids(api)
    first = api.get("/api/v1/collections?limit=2").json()
    rest = api.get(f"/api/v1/collections?limit=2&cursor={first['next']}").json()
    assert [one["id"] for one in first["items"] + rest["items"]] == ids(api)
    assert rest["next"] is None
    assert api.get("/api/v1/collections?cursor=nonsense").status_code == 422


def test_moderators_hide_it_with_a_reason_in_the_log(api: Api, published: Api) -> None:
    moda = api.sign_up("moda").as_person()
    published.request("PUT", PATH, json=body({"package": SUMS}))
    assert published.as_person().post(f"{PATH}/hide", json={"reason": "mine"}).status_code == 403
    assert moda.post(f"{PATH}/hide", json={"reason": " "}).status_code == 422
    assert moda.post(f"{PATH}/hide", json={"reason": "Advertising."}).json()["hidden_reason"] == "Advertising."
    for who in (api, published):
        answer = who.get(PATH)
        assert (answer.status_code, "Advertising." in answer.json()["detail"]) == (410, True)
        assert ids(who) == ids(who, f"?package={SUMS}") == []
    assert published.request("PUT", PATH, json=body()).status_code == 410, "its owner does not bring it back"
    assert published.request("DELETE", PATH).status_code == 410
    assert moda.get(PATH).status_code == 200
    assert moda.post(f"{PATH}/show", json={"reason": "It was changed."}).json()["hidden_reason"] is None
    assert ids(api) == ["alice/sums"]
    events = api.get("/api/v1/moderation/events").json()["items"]
    assert [(one["action"], one["collection"], one["reason"]) for one in events] == [
        ("show_collection", "alice/sums", "It was changed."),
        ("hide_collection", "alice/sums", "Advertising."),
    ]


def test_it_goes_with_the_content_of_a_suspended_owner(api: Api, published: Api, bob: Api) -> None:
    moda = api.sign_up("moda").as_person()
    published.request("PUT", PATH, json=body({"package": SUMS}))
    bob.request("PUT", "/api/v1/collections/bob/others", json=body({"package": SUMS, "note": "Good."}))
    suspension = {"reason": "publishes malware", "hide_content": True}
    assert moda.post("/api/v1/accounts/alice/suspend", json=suspension).status_code == 204
    assert api.get(PATH).status_code == 410
    assert ids(api) == ["bob/others"]
    entry = api.get("/api/v1/collections/bob/others").json()["entries"][0]
    assert (entry["package"], entry["card"], entry["audit"]) == (SUMS, None, None), "no word of what is hidden"
    moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "a mistake"})
    assert ids(api) == ["bob/others", "alice/sums"]


def test_a_blocked_name_gets_no_collection(api: Api, published: Api) -> None:
    moda = api.sign_up("moda").as_person()
    assert moda.post("/api/v1/blocked-names", json={"name": "alice/sums", "reason": "misleads"}).status_code == 204
    assert published.request("PUT", PATH, json=body()).json()["code"] == "name_blocked"


def test_nobody_writes_under_a_suspended_organisation(api: Api, published: Api) -> None:
    published.as_person().post("/api/v1/organizations", json={"name": "acme"})
    moda = api.sign_up("moda").as_person()
    assert moda.post("/api/v1/accounts/acme/suspend", json={"reason": "impersonates"}).status_code == 204
    answer = published.request("PUT", "/api/v1/collections/acme/all", json=body())
    assert answer.status_code == 403, answer.text


def test_a_collection_is_no_package_even_where_it_has_a_packages_name(api: Api, published: Api) -> None:
    """A package that is taken down or private must not be reached by a collection of its name, nor the other way round."""
    path = f"/api/v1/collections/{SUMS}"
    assert published.request("PUT", path, json=body({"package": SUMS})).status_code == 200
    moda = api.sign_up("moda").as_person()
    assert moda.post(f"{path}/hide", json={"reason": "x"}).status_code == 200
    assert api.get(f"/api/v1/packages/{SUMS}").status_code == 200
    assert moda.post(f"/api/v1/packages/{SUMS}/takedown", json={"reason": "x"}).status_code == 204
    assert moda.post(f"{path}/show", json={"reason": "x"}).status_code == 200
    entry = api.get(path).json()["entries"][0]
    assert (entry["package"], entry["card"]) == (SUMS, None)


def test_of_two_who_make_the_same_collection_at_once_one_is_told(published: Api) -> None:
    answers: list[int] = []

    def write() -> None:
        answers.append(published.request("PUT", PATH, json=body(revision=0)).status_code)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 409, 409, 409]
