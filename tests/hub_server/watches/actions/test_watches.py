"""Who may watch what, and how much. On both databases."""

from hub_server.watches import actions
from hub_server.worker import Worker
from schemas.watches import MailPace
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api

WATCHES = "/api/v1/account/watches"


def put(api: Api, path: str, **more: object) -> int:
    return api.request("PUT", path, **more).status_code


def test_who_may_watch_and_how_much(api: Api, alice: Api, monkeypatch) -> None:
    assert put(api, f"{WATCHES}/alice") == 401
    assert put(alice, f"{WATCHES}/nobody99") == 404
    assert put(alice, f"{WATCHES}/alice/none") == 404
    assert put(alice, WATCHES, json={"pace": "second"}) == 422
    monkeypatch.setattr("hub_server.watches.actions.watches.MOST_OF_ACCOUNT", 1)
    assert put(alice, f"{WATCHES}/alice") == 204
    api.sign_up("carol")
    refused = alice.request("PUT", f"{WATCHES}/carol")
    assert (refused.status_code, refused.json()["code"]) == (422, "watch_limit")


def test_watching_twice_is_watching_once_and_ends_with_one_word(driver: ActionDriver) -> None:
    ann = driver.person("ann")
    driver.person("ben")
    for _ in range(2):
        driver.do(ann, actions.watch, "ben", None)
    assert [watch.owner for watch in driver.ask(ann, actions.list_watches).items] == ["ben"]
    assert driver.ask(ann, actions.is_watching, "ben", None)
    assert not driver.ask(None, actions.is_watching, "ben", None)
    for _ in range(2):
        driver.do(ann, actions.unwatch, "ben", None)
    assert not driver.ask(ann, actions.is_watching, "ben", None)


def test_never_keeps_what_is_watched_and_forgets_what_waits(driver: ActionDriver) -> None:
    ann, ben = driver.person("ann"), driver.person("ben")
    driver.do(ann, actions.watch, "ben", None)
    driver.publish(ben, "ben/sums")
    Worker(driver.services)._follow_events()
    assert driver.rows("SELECT count(*) FROM news") == [(1,)]
    driver.do(ann, actions.set_pace, MailPace.NEVER)
    found = driver.ask(ann, actions.list_watches)
    assert (found.pace, found.is_mailed, len(found.items)) == (MailPace.NEVER, False, 1)
    assert driver.rows("SELECT count(*) FROM news") == [(0,)]
