"""Moderators hide posts and whole discussions, with a reason in the log."""

from tests.hub_server.discussions.test_routes import ALL, begin, moda, published, say, texts, titles
from tests.making.hub import Api

__all__ = ["moda", "published"]


def test_nobody_but_a_moderator_hides_a_post(api: Api, published: Api, bob: Api) -> None:
    discussion = begin(bob)
    for who in (bob.as_person(), published.as_person()):
        assert who.post(f"{ALL}/{discussion}/posts/1/hide", json={"reason": "mine"}).status_code == 403
    assert texts(api, discussion) == ["Is *4* right?"]


def test_moderators_hide_a_post_and_a_whole_discussion(api: Api, published: Api, bob: Api, moda: Api) -> None:
    discussion = begin(bob)
    say(published, discussion, "Advertising.")
    path = f"{ALL}/{discussion}/posts"
    assert moda.post(f"{path}/2/hide", json={"reason": " "}).status_code == 422
    assert moda.post(f"{path}/2/hide", json={"reason": "spam"}).json()["hidden_reason"] == "spam"
    assert moda.post(f"{path}/2/hide", json={"reason": "spam"}).status_code == 422
    assert texts(api, discussion) == ["Is *4* right?", ""]
    assert texts(moda, discussion)[1] == "Advertising."
    assert published.request("PUT", f"{path}/2", json={"text": "still"}).status_code == 410, (
        "its author does not undo it"
    )
    assert published.request("DELETE", f"{path}/2").status_code == 410
    assert moda.post(f"{path}/1/hide", json={"reason": "off topic"}).status_code == 200
    for who in (api, bob, published):
        assert who.get(f"{ALL}/{discussion}").status_code == 410
        assert titles(who) == []
    assert bob.post(path, json={"text": "and yet"}).status_code == 410
    assert titles(moda) == ["How is it meant?"]
    assert moda.post(f"{path}/1/show", json={"reason": "on topic"}).status_code == 200
    assert titles(api) == ["How is it meant?"]
    log = [(one["action"], one["post"], one["reason"]) for one in api.get("/api/v1/moderation/events").json()["items"]]
    assert log == [("show_post", 1, "on topic"), ("hide_post", 1, "off topic"), ("hide_post", 2, "spam")]
