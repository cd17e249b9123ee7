"""Who closes a discussion, who opens it again, and what of it stands in the moderators' log."""

from tests.hub_server.discussions.test_routes import ALL, begin, moda, published, titles
from tests.making.hub import Api

__all__ = ["moda", "published"]


def test_who_closes_it_and_who_opens_it_again(api: Api, published: Api, bob: Api, moda: Api) -> None:
    discussion = begin(bob)
    path = f"{ALL}/{discussion}"
    carol = api.sign_up("carol")
    assert carol.post(f"{path}/close", json={}).status_code == 403, "a stranger closes nothing"
    assert bob.post(f"{path}/close", json={"reason": "I see."}).json()["closed_reason"] == "I see."
    assert bob.post(f"{path}/close", json={}).status_code == 409
    refused = carol.post(f"{path}/posts", json={"text": "but"})
    assert (refused.status_code, refused.json()["code"]) == (409, "discussion_closed")
    assert titles(api, "?state=open") == []
    assert bob.post(f"{path}/reopen", json={}).status_code == 200
    assert published.post(f"{path}/close", json={}).json()["closed_by"] == "alice"
    assert bob.post(f"{path}/reopen", json={}).status_code == 403, "its author does not undo what the owner did"
    assert published.post(f"{path}/reopen", json={}).status_code == 200
    assert moda.post(f"{path}/close", json={}).status_code == 422, "a moderator says why"
    assert moda.post(f"{path}/close", json={"reason": "Too hot."}).status_code == 200
    assert published.post(f"{path}/reopen", json={}).status_code == 403
    assert moda.post(f"{path}/reopen", json={"reason": "Calmer."}).status_code == 200
    log = [(one["action"], one["discussion"]) for one in api.get("/api/v1/moderation/events").json()["items"]]
    assert log == [("reopen_discussion", discussion), ("close_discussion", discussion)], "only what moderators did"
