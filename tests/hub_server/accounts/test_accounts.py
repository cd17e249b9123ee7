"""Accounts and tokens: what is stored is useless to a thief, what is refused says nothing it should not."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select, text

from hub_server.accounts import actions
from hub_server.accounts.actions import passwords
from hub_server.accounts.models import DeviceLoginRow, WebSessionRow
from hub_server.accounts.rules.names import fold_name
from hub_server.accounts.rules.secrets import is_token_shaped, make_token_secret
from hub_server.kernel.caller import Credentials
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.worker import Worker
from tests.fakes.clock import FakeClock
from tests.making.hub import PASSWORD, Api, make_package


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


def test_a_new_password_ends_every_token_and_session(api: Api, alice: Api) -> None:
    """Whoever changes it may do so because one of them was stolen."""
    person = alice.as_person()
    made = alice.as_token(person.post("/api/v1/tokens", json={"name": "stolen"}).json()["secret"])
    change = {"old": PASSWORD, "new": "another long password"}
    assert person.post("/api/v1/account/password", json=change).status_code == 204
    for old in (alice, person, made):
        assert old.get("/api/v1/account").status_code == 401


def test_a_login_gives_what_the_command_line_needs_and_no_more(api: Api, alice: Api) -> None:
    answer = api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD}).json()
    assert answer["token"]["scopes"] == ["publish", "runs", "cases", "read"]
    for token in (alice, api.as_token(answer["secret"])):
        refused = token.post("/api/v1/tokens", json={"name": "t"})
        assert (refused.status_code, refused.json()["code"]) == (403, "password_needed")
        assert token.post("/api/v1/organizations", json={"name": "lab"}).json()["code"] == "password_needed"
        assert token.get("/api/v1/sessions").json()["code"] == "password_needed"


def test_a_typed_password_holds_for_minutes_and_for_its_own_account(
    api: Api, alice: Api, bob: Api, clock: FakeClock
) -> None:
    wrong = alice.post("/api/v1/sudo", json={"name": "alice", "password": "not the password"})
    assert wrong.status_code == 401
    assert alice.post("/api/v1/sudo", json={"name": "bob", "password": PASSWORD}).status_code == 401
    person = alice.as_person()
    (own,) = person.get("/api/v1/sessions").json()["items"]
    assert (own["kind"], own["is_current"]) == ("password", True)
    assert own["id"] not in (person.token or "")
    assert bob.as_person().request("DELETE", f"/api/v1/sessions/{own['id']}").status_code == 404
    assert person.post("/api/v1/tokens", json={"name": "ci"}).status_code == 201
    clock.advance(16 * 60)
    assert person.get("/api/v1/account").status_code == 401
    again = alice.as_person()
    (own,) = again.get("/api/v1/sessions").json()["items"]
    assert again.request("DELETE", f"/api/v1/sessions/{own['id']}").status_code == 204
    assert again.get("/api/v1/account").status_code == 401


def test_a_proof_is_no_cookie(api: Api, alice: Api) -> None:
    """Else a page of another site could send it along."""
    secret = alice.as_person().token
    answer = api.get("/api/v1/account", headers={"Cookie": f"verihub-session={secret}"})
    assert answer.status_code == 401


def test_neither_token_nor_password_stands_in_the_database(alice: Api, services: Services) -> None:
    assert alice.token is not None
    with services.database.reading() as session:
        rows = [
            str(tuple(row))
            for table in ("tokens", "accounts")
            for row in session.execute(text(f"SELECT * FROM {table}"))
        ]
    assert rows
    assert not any(alice.token in row or PASSWORD in row for row in rows)


def test_a_revoked_and_an_expired_token_are_refused(alice: Api, clock: FakeClock) -> None:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "ci", "expires_days": 1}).json()
    assert alice.as_token(made["secret"]).get("/api/v1/account").status_code == 200
    clock.advance(2 * 86400)
    expired = alice.as_token(made["secret"]).get("/api/v1/account")
    assert (expired.status_code, expired.json()["code"]) == (401, "not_authenticated")
    other = alice.as_person().post("/api/v1/tokens", json={"name": "ci"}).json()
    assert alice.as_person().request("DELETE", f"/api/v1/tokens/{other['token']['id']}").status_code == 204
    assert alice.as_token(other["secret"]).get("/api/v1/account").status_code == 401


def test_nobody_revokes_somebody_elses_token(alice: Api, bob: Api) -> None:
    token_id = alice.as_person().get("/api/v1/tokens").json()["items"][0]["id"]
    assert bob.as_person().request("DELETE", f"/api/v1/tokens/{token_id}").status_code == 404
    assert alice.get("/api/v1/account").status_code == 200


def test_whoever_finds_a_token_can_end_it(api: Api, alice: Api) -> None:
    assert api.post("/api/v1/tokens/revoke", json={"token": alice.token}).status_code == 204
    assert api.post("/api/v1/tokens/revoke", json={"token": "nonsense"}).status_code == 204
    assert alice.get("/api/v1/account").status_code == 401


def test_a_token_of_limited_scope_makes_no_tokens(alice: Api) -> None:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "narrow", "scopes": ["publish"]}).json()
    refused = alice.as_token(made["secret"]).post("/api/v1/tokens", json={"name": "wide"})
    assert refused.status_code == 403


@pytest.mark.parametrize("scopes", [[], ["read"], ["moderate"], ["publish", "runs", "cases", "read", "moderate"]])
def test_no_token_sees_or_ends_other_tokens(alice: Api, scopes: list[str]) -> None:
    own = alice.as_person().get("/api/v1/tokens").json()["items"][0]["id"]
    made = alice.as_person().post("/api/v1/tokens", json={"name": "narrow", "scopes": scopes}).json()
    narrow = alice.as_token(made["secret"])
    assert narrow.get("/api/v1/tokens").status_code == 403
    assert narrow.request("DELETE", f"/api/v1/tokens/{own}").status_code == 403
    assert narrow.post("/api/v1/organizations", json={"name": "lab"}).status_code == 403
    assert alice.get("/api/v1/account").status_code == 200


@pytest.mark.parametrize("scopes", [[], ["read"], ["publish", "runs", "cases", "read"]])
def test_a_moderators_token_moderates_only_by_its_scope(api: Api, alice: Api, scopes: list[str]) -> None:
    moda = api.sign_up("moda")
    alice.publish(make_package())
    report = alice.post("/api/v1/packages/alice/small-sums/reports", json={"reason": "malware", "text": "x"}).json()
    made = moda.as_person().post("/api/v1/tokens", json={"name": "narrow", "scopes": scopes}).json()
    narrow = moda.as_token(made["secret"])
    release = "/api/v1/packages/alice/small-sums/releases/1.0.0"
    decision = {"state": "dismissed", "decision": "no"}
    assert narrow.post(f"{release}/quarantine", json={"reason": "x"}).status_code == 403
    assert narrow.post(f"{release}/unquarantine", json={"reason": "x"}).status_code == 403
    assert narrow.post(f"/api/v1/reports/{report['id']}/decision", json=decision).status_code == 403
    assert narrow.get("/api/v1/reports").status_code == 403
    made = moda.as_person().post("/api/v1/tokens", json={"name": "bot", "scopes": ["moderate"]}).json()
    assert moda.as_token(made["secret"]).get("/api/v1/reports").status_code == 200


def test_nobody_holds_a_connection_while_a_password_is_hashed(
    api: Api, alice: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing takes long on purpose; under SQLite's write lock every try would stop all writers."""
    held: list[int] = []
    real = passwords._HASHER

    class Watched:
        def verify(self, stored: str, password: str) -> bool:
            held.append(services.database.engine.pool.checkedout())
            return real.verify(stored, password)

        def hash(self, password: str) -> str:
            held.append(services.database.engine.pool.checkedout())
            return real.hash(password)

        check_needs_rehash = real.check_needs_rehash

    monkeypatch.setattr(passwords, "_HASHER", Watched())
    form = {"name": "alice", "password": PASSWORD}
    assert api.post("/api/v1/login", json=form).status_code == 200
    assert api.post("/login", data=form).status_code == 303
    assert sign_up(api, "carol").status_code == 201
    assert api.post("/signup", data={"name": "dora", "email": "d@example.org", "password": PASSWORD}).status_code == 303
    change = {"old": PASSWORD, "new": "another long password"}
    assert alice.post("/api/v1/account/password", json=change).status_code == 204
    assert len(held) == 7
    assert set(held) == {0}


def test_what_is_over_is_forgotten_by_the_worker(api: Api, alice: Api, services: Services, clock: FakeClock) -> None:
    api.post("/api/v1/device/code", json={})
    form = {"name": "alice", "password": PASSWORD}
    assert api.post("/login", data=form, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303

    def left() -> tuple[int, int]:
        with services.database.reading() as session:
            return (
                session.scalar(select(func.count()).select_from(WebSessionRow)) or 0,
                session.scalar(select(func.count()).select_from(DeviceLoginRow)) or 0,
            )

    worker = Worker(services)
    worker.delete_expired_if_due()
    assert left() == (2, 1)  # the session, and the browser that is known from now on
    clock.advance(3700)
    worker.delete_expired_if_due()
    assert left() == (2, 0)
    clock.advance(31 * 86400)
    worker.delete_expired_if_due()
    assert left() == (1, 0)
    clock.advance(150 * 86400)
    worker.delete_expired_if_due()
    assert left() == (0, 0)


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
    services = api.app.state.services
    person = alice.as_person().token
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        work = replace(work, caller=actions.authenticate(work, Credentials(token=person)))
        assert actions.approve_device(work, user_code) == "laptop"


def test_a_device_that_polls_too_often_is_told_to_slow_down(api: Api) -> None:
    asked = api.post("/api/v1/device/code", json={}).json()
    codes = [
        api.post("/api/v1/device/token", json={"device_code": asked["device_code"]}).json()["code"] for _ in range(6)
    ]
    assert codes[0] == "authorization_pending"
    assert codes[-1] == "slow_down"


def test_the_last_use_of_a_token_is_known(alice: Api, clock: FakeClock) -> None:
    made = alice.as_person().post("/api/v1/tokens", json={"name": "ci"}).json()
    clock.advance(3600)
    alice.as_token(made["secret"]).post("/api/v1/runs", json={"name": "x"})
    used = {token["name"]: token["last_used_at"] for token in alice.as_person().get("/api/v1/tokens").json()["items"]}
    assert used["ci"] is not None


def test_a_device_code_ends(api: Api, clock: FakeClock) -> None:
    asked = api.post("/api/v1/device/code", json={}).json()
    clock.advance(asked["expires_in"] + 1)
    ended = api.post("/api/v1/device/token", json={"device_code": asked["device_code"]})
    assert ended.json()["code"] == "expired_token"
