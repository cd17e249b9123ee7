"""Discussions over HTTP, on both databases: who writes, who reads, what a stranger or a lying body can do."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.orm import Session

from hub_server.discussions import queries
from hub_server.kernel.services import Services
from schemas.discussions import MOST_POST_CHARACTERS
from tests.making.engines import INTERLEAVING
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/alice/small-sums"
ALL = f"{PACKAGE}/discussions"


@pytest.fixture
def published(alice: Api) -> Api:
    assert alice.publish(make_package()).status_code == 201
    return alice


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda").as_person()


def begin(who: Api, title: str = "How is it meant?", text: str = "Is *4* right?", **more: object) -> str:
    answer = who.post(ALL, json={"title": title, "text": text} | more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def say(who: Api, discussion: str, text: str = "Yes.") -> int:
    answer = who.post(f"{ALL}/{discussion}/posts", json={"text": text})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["number"])


def titles(who: Api, query: str = "") -> list[str]:
    return [one["title"] for one in who.get(f"{ALL}{query}").json()["items"]]


def texts(who: Api, discussion: str) -> list[str]:
    return [post["text"] for post in who.get(f"{ALL}/{discussion}").json()["posts"]]


def test_it_is_begun_answered_edited_and_read(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    assert say(published, discussion) == 2
    changed = bob.request("PUT", f"{ALL}/{discussion}/posts/1", json={"text": "Is *5* right?", "title": "And 5?"})
    assert changed.json()["edited_at"] is not None
    read = api.get(f"{ALL}/{discussion}").json()
    assert (read["title"], read["author"], read["reply_count"], read["is_open"]) == ("And 5?", "bob", 1, True)
    assert [(post["number"], post["author"], post["text"]) for post in read["posts"]] == [
        (1, "bob", "Is *5* right?"),
        (2, "alice", "Yes."),
    ]
    listed = api.get(ALL).json()
    assert [one["id"] for one in listed["items"]] == [discussion]
    assert listed["facets"] == {"state": {"open": 1, "closed": 0}}


def test_nobody_writes_in_anothers_name_or_without_an_account(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    say(published, discussion)
    assert api.post(ALL, json={"title": "t", "text": "t"}).status_code == 401
    assert api.post(f"{ALL}/{discussion}/posts", json={"text": "t"}).status_code == 401
    for stranger in (published, api.sign_up("carol")):
        assert stranger.request("PUT", f"{ALL}/{discussion}/posts/1", json={"text": "x"}).status_code == 403
        assert stranger.request("DELETE", f"{ALL}/{discussion}/posts/1").status_code == 403
    reader = bob.as_person().post("/api/v1/tokens", json={"name": "reads", "scopes": ["read"]}).json()["secret"]
    assert api.as_token(reader).post(ALL, json={"title": "t", "text": "t"}).status_code == 403
    assert texts(api, discussion) == ["Is *4* right?", "Yes."]


@pytest.mark.parametrize(
    "body",
    [
        b'{"title": "t", "text": "\\ud800"}',
        b'{"title": "\\udfff", "text": "t"}',
        b'{"title": "a\\u0000b", "text": "t"}',
        b'{"title": "t", "text": "a\\u0000b"}',
        b'{"title": "two\\nlines", "text": "t"}',
        b'{"title": " ", "text": "t"}',
        b'{"title": "t", "text": " \\n "}',
        b'{"title": "t", "text": "t", "author": "alice"}',
        b'{"title": "t", "text": "t", "case": ""}',
        b'{"title": ["t"], "text": {"a": 1}}',
        b'{"title": "' + b"x" * 121 + b'", "text": "t"}',
        b'{"title": "t", "text": "' + b"x" * (MOST_POST_CHARACTERS + 1) + b'"}',
    ],
)
def test_what_cannot_be_kept_is_refused_before_it_is(api: Api, published: Api, bob: Api, body: bytes) -> None:
    answer = bob.post(ALL, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert titles(api) == []


@pytest.mark.parametrize("path", ["nope", "nope/posts/1", "%00", "%2e%2e", "a" * 5000, "%F0%9F%92%A9"])
def test_what_is_not_there_is_not_found(api: Api, published: Api, path: str) -> None:
    assert api.get(f"{ALL}/{path}").status_code in (404, 405, 422)


def test_numbers_that_no_column_holds_are_refused(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    for number in (0, -1, 2**31, 10**30, "x"):
        assert bob.request("DELETE", f"{ALL}/{discussion}/posts/{number}").status_code == 422
        assert api.get(f"{ALL}/{discussion}?after={number}").status_code == (422 if number else 200)
    assert bob.request("DELETE", f"{ALL}/{discussion}/posts/{2**31 - 1}").status_code == 404
    assert api.get(f"{ALL}?cursor=nonsense").status_code == 422
    assert api.get(f"{ALL}?state=shut").status_code == 422


def test_a_discussion_of_another_package_is_not_reached_through_this_one(api: Api, published: Api, bob: Api) -> None:
    published.publish(make_package("alice/other"))
    discussion = begin(bob)
    other = f"/api/v1/packages/alice/other/discussions/{discussion}"
    assert api.get(other).status_code == 404
    assert bob.post(f"{other}/posts", json={"text": "x"}).status_code == 404
    assert bob.request("DELETE", f"{other}/posts/1").status_code == 404
    assert bob.post(f"{other}/close", json={}).status_code == 404


def test_ones_own_words_are_deleted_and_leave_a_gap(api: Api, published: Api, bob: Api, services: Services) -> None:
    discussion = begin(bob, "My password is", "hunter2")
    say(published, discussion)
    assert bob.request("DELETE", f"{ALL}/{discussion}/posts/1").status_code == 204
    read = api.get(f"{ALL}/{discussion}").json()
    assert (read["title"], read["posts"][0]["text"], read["posts"][0]["is_deleted"]) == ("", "", True)
    assert read["posts"][1]["text"] == "Yes.", "what others said is theirs"
    assert bob.request("DELETE", f"{ALL}/{discussion}/posts/1").status_code == 409
    assert bob.request("PUT", f"{ALL}/{discussion}/posts/1", json={"text": "again"}).status_code == 409
    alone = begin(bob, "Nobody answers", "Hello?")
    bob.request("DELETE", f"{ALL}/{alone}/posts/1")
    assert titles(api) == [""], "one that nobody replied to is gone from the list"
    with services.database.reading() as session:
        held = session.connection().exec_driver_sql("SELECT title FROM discussions UNION SELECT text FROM posts")
        assert not [one for (one,) in held if "hunter2" in one or "password" in one or "Hello" in one]


def test_words_go_with_the_content_of_a_suspended_account(api: Api, published: Api, bob: Api, moda: Api) -> None:
    own, other = begin(bob), begin(published, "Mine", "Said by alice.")
    say(bob, other, "Malware here.")
    assert (
        moda.post("/api/v1/accounts/bob/suspend", json={"reason": "malware", "hide_content": True}).status_code == 204
    )
    assert bob.post(ALL, json={"title": "t", "text": "t"}).status_code in (401, 403), "nor does it write"
    assert api.get(f"{ALL}/{own}").status_code == 410
    assert titles(api) == ["Mine"]
    assert texts(api, other) == ["Said by alice.", ""]
    moda.post("/api/v1/accounts/bob/unsuspend", json={"reason": "a mistake"})
    assert texts(api, other) == ["Said by alice.", "Malware here."]


def test_a_suspension_that_hides_nothing_leaves_what_was_said(api: Api, published: Api, bob: Api, moda: Api) -> None:
    discussion = begin(bob)
    moda.post("/api/v1/accounts/bob/suspend", json={"reason": "rude"})
    assert texts(api, discussion) == ["Is *4* right?"]


def test_nothing_is_added_to_what_moderators_stopped_and_all_words_go_with_a_takedown(
    api: Api, published: Api, bob: Api, moda: Api, services: Services
) -> None:
    discussion = begin(bob, "The secret", "It is hunter2.")
    moda.post(f"{PACKAGE}/quarantine", json={"reason": "looked into"})
    assert bob.post(ALL, json={"title": "t", "text": "t"}).status_code == 410
    assert bob.post(f"{ALL}/{discussion}/posts", json={"text": "t"}).status_code == 410
    assert bob.request("PUT", f"{ALL}/{discussion}/posts/1", json={"text": "t"}).status_code == 410
    assert titles(api) == ["The secret"], "it stays to be read, like the page"
    assert moda.post(f"{PACKAGE}/takedown", json={"reason": "leaked keys"}).status_code == 204
    for path in (ALL, f"{ALL}/{discussion}"):
        assert api.get(path).status_code == 410
        assert "hunter2" not in moda.get(path).text
    with services.database.reading() as session:
        held = session.connection().exec_driver_sql("SELECT title FROM discussions UNION SELECT text FROM posts")
        assert set(held) == {("",)}


def test_an_archived_package_gets_no_new_discussion_and_the_others_go_on(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    archived = published.post(f"{PACKAGE}/archive", json={"reason": "Done."})
    assert archived.status_code == 200, archived.text
    refused = bob.post(ALL, json={"title": "t", "text": "t"})
    assert (refused.status_code, refused.json()["code"]) == (409, "archived")
    assert say(bob, discussion, "Is there a successor?") == 2


def test_one_about_a_counter_example_is_shown_as_long_as_that_is(
    api: Api, published: Api, bob: Api, moda: Api, services: Services
) -> None:
    run_jobs(services)
    case = {"id": "c", "task": {"id": "t", "prompt": "2 + 2", "answer": 4}, "response": "five", "label": "incorrect"}
    made = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=case).json()["id"]
    discussion, _other = begin(bob, "Why?", case=made), begin(bob, "About all of it")
    assert titles(api, f"?case={made}") == ["Why?"]
    assert bob.post(ALL, json={"title": "t", "text": "t", "case": "nope"}).json()["code"] == "case_not_found"
    assert moda.post(f"{PACKAGE}/cases/{made}/hide", json={"reason": "private data"}).status_code == 200
    assert api.get(f"{ALL}/{discussion}").status_code == 404
    assert titles(api) == ["About all of it"]
    assert titles(moda) == ["About all of it", "Why?"]
    assert bob.post(f"{ALL}/{discussion}/posts", json={"text": "It said: ..."}).status_code == 404


def test_the_same_form_sent_twice_says_it_once(api: Api, published: Api, bob: Api) -> None:
    first = begin(bob)
    assert begin(bob) == first
    assert say(bob, first, "Anybody?") == say(bob, first, "Anybody?") == 2
    assert say(published, first) == 3
    assert say(bob, first, "Anybody?") == 4, "after somebody else it is said anew"
    assert begin(bob, text="Another question.") != first


def test_the_newest_post_brings_it_to_the_top_and_pages_go_on(api: Api, published: Api, bob: Api, services) -> None:
    made = []
    for number in range(3):
        services.clock.advance(1)
        made.append(begin(bob, f"Question {number}"))
    services.clock.advance(1)
    say(bob, made[0])
    first = api.get(f"{ALL}?limit=2").json()
    rest = api.get(f"{ALL}?limit=2&cursor={first['next']}").json()
    assert [one["title"] for one in first["items"] + rest["items"]] == ["Question 0", "Question 2", "Question 1"]
    assert rest["next"] is None
    for number in range(4):
        say(bob, made[1], f"Reply {number}")
    posts = api.get(f"{ALL}/{made[1]}?limit=3").json()
    more = api.get(f"{ALL}/{made[1]}?limit=3&after={posts['next']}").json()
    assert [post["number"] for post in posts["posts"] + more["posts"]] == [1, 2, 3, 4, 5]
    assert more["next"] is None


def test_two_who_reply_at_once_get_two_numbers(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    numbers: list[int] = []

    def write(text: str) -> None:
        numbers.append(say(published if int(text) % 2 else bob, discussion, text))

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == [2, 3, 4, 5, 6, 7]
    assert api.get(f"{ALL}/{discussion}").json()["reply_count"] == 6


def test_a_post_is_reported_to_the_moderators(api: Api, published: Api, bob: Api, moda: Api) -> None:
    discussion = begin(bob, "Buy", "Cheap pills.")
    say(bob, discussion, "Cheaper pills.")
    body = {"reason": "spam", "text": "Pills.", "discussion": discussion}
    assert published.post(f"{PACKAGE}/reports", json=body | {"discussion": "nope"}).status_code == 404
    assert published.post(f"{PACKAGE}/reports", json=body | {"post": 9}).status_code == 404
    made = published.post(f"{PACKAGE}/reports", json=body | {"post": 1}).json()
    assert (made["discussion"], made["post"]) == (discussion, 1)
    again = published.post(f"{PACKAGE}/reports", json=body | {"post": 2, "text": "More."}).json()
    assert (again["id"], f"[post 2 of discussion {discussion}] More." in again["text"]) == (made["id"], True)
    assert moda.get("/api/v1/reports").json()["items"][0]["discussion"] == discussion


@INTERLEAVING
@pytest.mark.parametrize(("act", "code"), [("hide", 410), ("delete", 409)])
def test_what_is_hidden_or_deleted_while_its_author_edits_it_stays_as_it_is(
    published: Api, bob: Api, moda: Api, act: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It happens after the edit has read the first post, and before the edit holds the discussion."""
    discussion = begin(bob)
    post, real, done = f"{ALL}/{discussion}/posts/1", queries.lock_discussion, []

    def lock(session: Session, discussion_id: str) -> None:
        if not done:
            done.append(act)
            other = {
                "hide": lambda: moda.post(f"{post}/hide", json={"reason": "spam"}),
                "delete": lambda: bob.request("DELETE", post),
            }[act]
            assert pool.submit(other).result(60).status_code in (200, 204)
        real(session, discussion_id)

    monkeypatch.setattr(queries, "lock_discussion", lock)
    with ThreadPoolExecutor(1) as pool:
        answer = bob.request("PUT", post, json={"text": "buy this"})
    assert answer.status_code == code, answer.text
    assert texts(moda, discussion) == ["Is *4* right?" if act == "hide" else ""]
