"""Accounts and tokens: what is stored is useless to a thief, what is refused says nothing it should not."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from hub_server.accounts import actions
from hub_server.accounts.rules import fold_name, is_token_shaped, make_token_secret
from hub_server.caller import Credentials
from hub_server.parts import Parts
from hub_server.work import Work
from tests.fakes.clock import FakeClock
from tests.making.hub import PASSWORD, Api


def sign_up(api: Api, name: str, **more: str):
    body = {"name": name, "email": "x@example.org", "password": PASSWORD, **more}
    return api.post("/api/v1/accounts", json=body)


def test_signing_up_gives_an_account_and_a_token_that_works(api: Api) -> None:
    answer = sign_up(api, "carol")
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json()["account"]["name"] == "carol"
    assert api.as_token(answer.json()["token"]).get("/api/v1/account").json()["name"] == "carol"


@pytest.mark.parametrize("name", ["Carol", "c", "a-b", "x" * 40, "../x", "", "ça"])
def test_names_outside_the_grammar_are_refused(api: Api, name: str) -> None:
    assert sign_up(api, name).status_code == 422


@pytest.mark.parametrize("name", ["alice", "a1ice", "aiice", "api", "moderation"])
def test_taken_lookalike_and_reserved_names_are_refused(api: Api, alice: Api, name: str) -> None:
    refused = sign_up(api, name)
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")


def test_a_short_password_is_refused_and_not_repeated_in_the_answer(api: Api) -> None:
    refused = sign_up(api, "carol", password="hunter2")
    assert refused.status_code == 422
    assert "hunter2" not in refused.text


def test_wrong_name_and_wrong_password_look_the_same(api: Api, alice: Api) -> None:
    answers = [
        api.post("/api/v1/login", json={"name": name, "password": "wrong wrong wrong"}) for name in ("alice", "nobody")
    ]
    assert {answer.status_code for answer in answers} == {401}
    first, second = ({k: v for k, v in answer.json().items() if k != "instance"} for answer in answers)
    assert first == second


def test_a_password_gives_a_token(api: Api, alice: Api) -> None:
    made = api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD})
    assert made.status_code == 200
    assert api.as_token(made.json()["secret"]).get("/api/v1/account").json()["name"] == "alice"


def test_a_new_password_needs_the_old_one(api: Api, alice: Api) -> None:
    change = {"old": "wrong wrong wrong", "new": "another long password"}
    assert alice.post("/api/v1/account/password", json=change).status_code == 401
    assert alice.post("/api/v1/account/password", json={**change, "old": PASSWORD}).status_code == 204
    assert api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD}).status_code == 401
    assert api.post("/api/v1/login", json={"name": "alice", "password": change["new"]}).status_code == 200
    assert alice.get("/api/v1/account").status_code == 200


def test_neither_token_nor_password_stands_in_the_database(alice: Api, parts: Parts) -> None:
    assert alice.token is not None
    with parts.database.reading() as session:
        rows = [
            str(tuple(row))
            for table in ("tokens", "accounts")
            for row in session.execute(text(f"SELECT * FROM {table}"))
        ]
    assert rows
    assert not any(alice.token in row or PASSWORD in row for row in rows)


def test_a_revoked_and_an_expired_token_are_refused(alice: Api, clock: FakeClock) -> None:
    made = alice.post("/api/v1/tokens", json={"name": "ci", "expires_days": 1}).json()
    assert alice.as_token(made["secret"]).get("/api/v1/account").status_code == 200
    clock.advance(2 * 86400)
    expired = alice.as_token(made["secret"]).get("/api/v1/account")
    assert (expired.status_code, expired.json()["code"]) == (401, "not_authenticated")
    other = alice.post("/api/v1/tokens", json={"name": "ci"}).json()
    assert alice.request("DELETE", f"/api/v1/tokens/{other['token']['id']}").status_code == 204
    assert alice.as_token(other["secret"]).get("/api/v1/account").status_code == 401


def test_nobody_revokes_somebody_elses_token(alice: Api, bob: Api) -> None:
    token_id = alice.get("/api/v1/tokens").json()["items"][0]["id"]
    assert bob.request("DELETE", f"/api/v1/tokens/{token_id}").status_code == 404
    assert alice.get("/api/v1/account").status_code == 200


def test_whoever_finds_a_token_can_end_it(api: Api, alice: Api) -> None:
    assert api.post("/api/v1/tokens/revoke", json={"token": alice.token}).status_code == 204
    assert api.post("/api/v1/tokens/revoke", json={"token": "nonsense"}).status_code == 204
    assert alice.get("/api/v1/account").status_code == 401


def test_a_token_of_limited_scope_makes_no_tokens(alice: Api) -> None:
    made = alice.post("/api/v1/tokens", json={"name": "narrow", "scopes": ["publish"]}).json()
    refused = alice.as_token(made["secret"]).post("/api/v1/tokens", json={"name": "wide"})
    assert refused.status_code == 403


def test_a_wrong_token_is_refused_even_where_none_is_needed(api: Api) -> None:
    assert api.as_token("verihub_pat_nonsense").get("/api/v1/packages").status_code == 401


def test_a_token_carries_its_check_sum() -> None:
    secret = make_token_secret()
    assert secret.startswith("verihub_pat_")
    assert is_token_shaped(secret)
    assert not is_token_shaped(secret[:-1] + ("a" if secret[-1] != "a" else "b"))
    assert len({make_token_secret() for _ in range(100)}) == 100


def test_look_alikes_fold_together() -> None:
    assert fold_name("paypa1") == fold_name("paypal") == fold_name("paypai")
    assert fold_name("g00gle") == fold_name("google")


def test_a_device_is_let_in_by_a_person_and_gets_one_token(api: Api, alice: Api) -> None:
    asked = api.post("/api/v1/device/code", json={"client_name": "laptop"}).json()
    assert asked["verification_uri"] == "http://hub.test/device"
    poll = {"device_code": asked["device_code"]}
    waiting = api.post("/api/v1/device/token", json=poll)
    assert (waiting.status_code, waiting.json()["code"]) == (400, "authorization_pending")
    login(alice, api, asked["user_code"].lower().replace("-", " "))
    made = api.post("/api/v1/device/token", json=poll)
    assert made.status_code == 200
    assert api.as_token(made.json()["secret"]).get("/api/v1/account").json()["name"] == "alice"
    assert api.post("/api/v1/device/token", json=poll).json()["code"] == "expired_token"


def login(alice: Api, api: Api, user_code: str) -> None:
    """What the device page does."""
    parts = api.app.state.parts
    with parts.database.writing() as session:
        work = Work(session, parts)
        work = replace(work, caller=actions.authenticate(work, Credentials(token=alice.token)))
        assert actions.approve_device(work, user_code) == "laptop"


def test_a_device_that_polls_too_often_is_told_to_slow_down(api: Api) -> None:
    asked = api.post("/api/v1/device/code", json={}).json()
    codes = [
        api.post("/api/v1/device/token", json={"device_code": asked["device_code"]}).json()["code"] for _ in range(6)
    ]
    assert codes[0] == "authorization_pending"
    assert codes[-1] == "slow_down"


def test_the_last_use_of_a_token_is_known(alice: Api, clock: FakeClock) -> None:
    made = alice.post("/api/v1/tokens", json={"name": "ci"}).json()
    clock.advance(3600)
    alice.as_token(made["secret"]).post("/api/v1/runs", json={"name": "x"})
    used = {token["name"]: token["last_used_at"] for token in alice.get("/api/v1/tokens").json()["items"]}
    assert used["ci"] is not None


def test_a_device_code_ends(api: Api, clock: FakeClock) -> None:
    asked = api.post("/api/v1/device/code", json={}).json()
    clock.advance(asked["expires_in"] + 1)
    ended = api.post("/api/v1/device/token", json={"device_code": asked["device_code"]})
    assert ended.json()["code"] == "expired_token"
