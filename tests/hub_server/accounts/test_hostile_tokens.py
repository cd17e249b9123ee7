"""Tokens that are asked for at one moment, and what stands in the way of whose account is full. On both databases."""

import pytest

from hub_server.accounts.actions import tokens
from tests.fakes.clock import FakeClock
from tests.hub_server.ownership.test_hostile_organizations import Act, at_once
from tests.making.hub import PASSWORD, Api


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_TOKENS", 4)


def log_in(api: Api) -> Act:
    stranger = api.as_token(None)
    return lambda: stranger.post("/api/v1/login", json={"name": "ann", "password": PASSWORD}).status_code


def make(by: Api) -> Act:
    return lambda: by.post("/api/v1/tokens", json={"name": "ci", "expires_days": 30}).status_code


def held(by: Api) -> int:
    return len(by.get("/api/v1/tokens").json()["items"])


@pytest.mark.parametrize("way", ["login", "token", "both"])
def test_of_many_that_are_asked_for_at_once_no_more_are_made_than_one_account_may_have(way: str, api: Api) -> None:
    """On PostgreSQL each login counted before the others had committed."""
    ann = api.sign_up("ann").as_person()
    acts = {"login": [log_in(api)] * 10, "token": [make(ann)] * 10, "both": [log_in(api), make(ann)] * 5}[way]
    before = held(ann)
    statuses = at_once(*acts)
    assert set(statuses) <= {200, 201, 409}, statuses
    assert held(ann) == 4
    assert sum(status < 300 for status in statuses) == 4 - before


def test_who_is_full_still_has_a_browser_and_makes_room_there(api: Api) -> None:
    """A thief who knows the password fills the account: its person is not shut out."""
    ann = api.sign_up("ann").as_person()
    while log_in(api)() < 300:
        pass
    assert ann.get("/account").status_code == 200
    [*_, one] = ann.get("/api/v1/tokens").json()["items"]
    assert ann.request("DELETE", f"/api/v1/tokens/{one['id']}").status_code == 204
    assert log_in(api)() < 300
    assert log_in(api)() == 409


def test_a_device_that_is_approved_for_a_full_account_is_told_so_and_gets_its_token_once_there_is_room(
    api: Api, clock: FakeClock
) -> None:
    ann = api.sign_up("ann").as_person()
    device = api.as_token(None)
    begun = device.post("/api/v1/device/code", json={"client_name": "laptop"}).json()
    while log_in(api)() < 300:
        pass
    approved = ann.post("/device", data={"device": begun["user_code"], "decision": "allow"})
    assert approved.status_code < 400, approved.text
    told = device.post("/api/v1/device/token", json={"device_code": begun["device_code"]})
    assert (told.status_code, told.json()["code"]) == (409, "token_limit"), told.text
    [*_, one] = ann.get("/api/v1/tokens").json()["items"]
    ann.request("DELETE", f"/api/v1/tokens/{one['id']}")
    clock.advance(10)
    assert device.post("/api/v1/device/token", json={"device_code": begun["device_code"]}).status_code == 200
