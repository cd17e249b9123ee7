"""Who follows a discussion: who wrote in it, who decides about the package, and whoever asks."""

import threading

from tests.hub_server.discussions.test_routes import ALL, begin, published, say
from tests.making.hub import Api, make_package

__all__ = ["published"]


def followers(services, discussion: str) -> set[str]:
    with services.database.reading() as session:
        statement = (
            "SELECT name FROM discussion_watches JOIN accounts ON accounts.id = account_id "
            f"WHERE discussion_id = '{discussion}'"
        )
        return {name for (name,) in session.connection().exec_driver_sql(statement)}


def test_whoever_writes_and_the_owner_follow_until_they_have_enough(
    api: Api, published: Api, bob: Api, services
) -> None:
    discussion = begin(bob)
    assert followers(services, discussion) == {"alice", "bob"}
    carol = api.sign_up("carol")
    path = f"{ALL}/{discussion}/follow"
    for _ in range(2):
        assert carol.request("PUT", path).status_code == 204
    assert published.request("DELETE", path).status_code == 204
    assert followers(services, discussion) == {"bob", "carol"}
    say(bob, discussion)
    assert followers(services, discussion) == {"bob", "carol"}, "who had enough is not asked again by others' replies"
    assert api.request("PUT", path).status_code == 401
    assert carol.request("PUT", f"{ALL}/nope/follow").status_code == 404


def test_the_owners_of_an_organisation_follow_and_its_other_members_do_not(api: Api, bob: Api, services) -> None:
    alice = api.sign_up("alice").as_person()
    alice.post("/api/v1/organizations", json={"name": "acme"})
    alice.publish(make_package("acme/open"))
    made = bob.post("/api/v1/packages/acme/open/discussions", json={"title": "t", "text": "t"}).json()["id"]
    assert followers(services, made) == {"alice", "bob"}


def test_two_who_make_the_owner_follow_at_once_do_not_stop_each_other(
    api: Api, published: Api, bob: Api, services
) -> None:
    people = [bob, *(api.sign_up(name) for name in ("carol", "dave", "erin"))]
    answers: list[int] = []

    def write(who: Api) -> None:
        answers.append(who.post(ALL, json={"title": "Together", "text": "Now."}).status_code)

    threads = [threading.Thread(target=write, args=(who,)) for who in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [201] * 4
