"""Tokens: shown once, listed without secrets, ended by their owner or by whoever found them."""

from datetime import timedelta

import pytest
from pydantic import ValidationError
from sqlalchemy import select, update

from hub_server.accounts.actions import (
    authenticate,
    create_token,
    issue_publishing_token,
    list_tokens,
    revoke_found_token,
    revoke_token,
    tokens,
)
from hub_server.accounts.errors import TokenNotFoundError, TooManyTokensError
from hub_server.accounts.models import TokenRow
from hub_server.accounts.queries import credentials
from hub_server.accounts.rules.secrets import make_token_secret
from hub_server.errors import NotAllowedError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Caller, Credentials
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope, TokenCreate, TokenCreated
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller, person
from tests.making.hub import PASSWORD, Api, make_package

CI = TokenCreate(name="ci", scopes=[Scope.PUBLISH], expires_days=1)


@pytest.fixture
def alice(driver: ActionDriver) -> Caller:
    return driver.person("alice")


def who(driver: ActionDriver, made: TokenCreated) -> Caller | None:
    return driver.ask(None, authenticate, Credentials(token=made.secret))


def test_a_token_has_the_scopes_that_were_asked_for_and_ends_after_its_days(
    driver: ActionDriver, alice: Caller
) -> None:
    made = driver.do(alice, create_token, CI)
    assert made.token.expires_at - made.token.created_at == timedelta(days=1)
    found = who(driver, made)
    assert found is not None
    assert found.scopes == {Scope.PUBLISH}
    driver.clock.advance(24 * 3600 + 1)
    with pytest.raises(NotAuthenticatedError):
        who(driver, made)


def test_a_token_of_one_package_publishes_that_and_nothing_else(api: Api) -> None:
    ann, bob = api.sign_up("ann"), api.sign_up("bob")
    asked = {"name": "ci", "package": "ann/small-sums"}
    assert ann.post("/api/v1/tokens", json=asked).status_code == 403, "a token makes no token"
    made = ann.as_person().post("/api/v1/tokens", json=asked)
    assert made.status_code == 201, made.text
    assert (made.json()["token"]["scopes"], made.json()["token"]["package"]) == (["publish"], "ann/small-sums")
    narrow = ann.as_token(made.json()["secret"])
    refused = narrow.publish(make_package("ann/other-sums"))
    assert (refused.status_code, "ann/small-sums and nothing else" in refused.text) == (403, True)
    assert narrow.publish(make_package("ann/small-sums")).status_code == 201
    assert narrow.post("/api/v1/packages/ann/small-sums/releases/1.0.0/yank", json={"reason": "x"}).status_code == 200
    assert ann.publish(make_package("ann/other-sums")).status_code == 201
    other = narrow.post("/api/v1/packages/ann/other-sums/releases/1.0.0/yank", json={"reason": "x"})
    assert other.status_code == 403
    listed = ann.as_person().get("/api/v1/tokens").json()["items"]
    assert [one["package"] for one in listed if one["name"] == "ci"] == ["ann/small-sums"]
    for wrong in ({"scopes": ["publish", "runs"]}, {"package": "nonsense"}):
        assert ann.as_person().post("/api/v1/tokens", json=asked | wrong).status_code == 422, wrong
    assert bob.as_person().post("/api/v1/tokens", json=asked).status_code == 403, "it could publish nothing"


def test_a_token_of_one_owner_publishes_for_that_owner_and_does_nothing_else(api: Api) -> None:
    ann, bob = api.sign_up("ann"), api.sign_up("bob")
    assert ann.as_person().post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    asked = {"name": "ci", "owner": "lab"}
    assert ann.post("/api/v1/tokens", json=asked).status_code == 403, "a token makes no token"
    made = ann.as_person().post("/api/v1/tokens", json=asked)
    assert made.status_code == 201, made.text
    assert (made.json()["token"]["scopes"], made.json()["token"]["owner"]) == (["publish"], "lab")
    narrow = ann.as_token(made.json()["secret"])
    refused = narrow.publish(make_package("ann/sums"))
    assert (refused.status_code, "packages of lab and nothing else" in refused.text) == (403, True)
    assert narrow.publish(make_package("lab/sums")).status_code == 201
    assert narrow.publish(make_package("lab/more-sums")).status_code == 201
    assert narrow.post("/api/v1/packages/lab/sums/releases/1.0.0/yank", json={"reason": "x"}).status_code == 200
    assert ann.publish(make_package("ann/sums")).status_code == 201
    assert narrow.post("/api/v1/packages/ann/sums/releases/1.0.0/yank", json={"reason": "x"}).status_code == 403
    listed = ann.as_person().get("/api/v1/tokens").json()["items"]
    assert [one["owner"] for one in listed if one["name"] == "ci"] == ["lab"]
    for wrong in ({"scopes": ["publish", "runs"]}, {"package": "lab/sums"}, {"owner": "no name"}):
        assert ann.as_person().post("/api/v1/tokens", json=asked | wrong).status_code == 422, wrong
    assert bob.as_person().post("/api/v1/tokens", json=asked).status_code == 403, "it could publish nothing"


def test_a_token_of_an_owner_ends_with_the_membership(api: Api) -> None:
    ann, bob = api.sign_up("ann"), api.sign_up("bob")
    ann.as_person().post("/api/v1/organizations", json={"name": "lab"})
    ann.as_person().request("PUT", "/api/v1/organizations/lab/members", json={"account": "bob", "role": "maintainer"})
    bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True})
    made = bob.as_person().post("/api/v1/tokens", json={"name": "ci", "owner": "lab"})
    assert made.status_code == 201, made.text
    narrow = bob.as_token(made.json()["secret"])
    assert narrow.publish(make_package("lab/sums")).status_code == 201
    assert ann.as_person().request("DELETE", "/api/v1/organizations/lab/members/bob").status_code < 300
    assert narrow.publish(make_package("lab/sums", "1.1.0")).status_code == 403
    assert narrow.publish(make_package("bob/sums")).status_code == 403, "nor for the account itself"


def test_the_list_is_of_the_caller_newest_first_and_holds_no_secret(driver: ActionDriver, alice: Caller) -> None:
    bob = driver.person("bob")
    made = [driver.do(alice, create_token, TokenCreate(name=name)) for name in ("one", "two")]
    driver.do(bob, create_token, TokenCreate(name="bob's"))
    listed = driver.ask(alice, list_tokens)
    assert [token.name for token in listed] == ["two", "one"]
    dumped = "".join(token.model_dump_json() for token in listed)
    assert not any(token.secret in dumped for token in made)


def test_a_list_of_two_hundred_tokens_is_one_statement(driver: ActionDriver, alice: Caller) -> None:
    for number in range(20):
        driver.do(alice, create_token, TokenCreate(name=f"t{number}"))
    with driver.reading(alice) as work, driver.statements() as sent:
        assert len(list_tokens(work)) == 20
    assert len([one for one in sent if one.startswith("SELECT")]) == 1


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError),
        (caller("alice", scopes=frozenset()), NotAllowedError),
        (caller("alice", scopes=frozenset({Scope.MODERATE})), NotAllowedError),
        (caller("alice", scopes=EVERY_SCOPE - {Scope.MODERATE, Scope.READ}), NotAllowedError),
        (caller("alice"), PasswordNeededError),
    ],
)
def test_who_holds_a_leaked_or_no_token_cannot_make_one_that_lasts_longer(
    driver: ActionDriver, alice, by, error
) -> None:
    for act, rest in ((create_token, (CI,)), (list_tokens, ()), (revoke_token, ("x",))):
        with pytest.raises(error):
            driver.do(by, act, *rest)
    assert driver.rows("SELECT id FROM tokens") == []


def test_a_stolen_cookie_makes_no_token_once_the_password_was_typed_long_ago(
    driver: ActionDriver, alice: Caller
) -> None:
    stale = person("alice", is_proven=False)
    with pytest.raises(PasswordNeededError):
        driver.do(stale, create_token, CI)
    assert driver.ask(stale, list_tokens) == []  # to look and to end needs no proof


def test_a_browsers_session_manages_the_account_whatever_its_scopes_say(driver: ActionDriver, alice: Caller) -> None:
    assert driver.do(person("alice", scopes=frozenset()), create_token, CI).token.name == "ci"


def test_a_revoked_token_opens_nothing_and_leaves_the_list(driver: ActionDriver, alice: Caller) -> None:
    made = driver.do(alice, create_token, CI)
    driver.do(alice, revoke_token, made.token.id)
    driver.do(alice, revoke_token, made.token.id)  # twice is harmless
    assert driver.ask(alice, list_tokens) == []
    with pytest.raises(NotAuthenticatedError):
        who(driver, made)


def test_the_moment_of_the_first_revocation_stands(driver: ActionDriver, alice: Caller) -> None:
    made = driver.do(alice, create_token, CI)
    driver.do(alice, revoke_token, made.token.id)
    (first,) = driver.rows("SELECT revoked_at FROM tokens")
    driver.clock.advance(60)
    driver.do(alice, revoke_token, made.token.id)
    driver.do(None, revoke_found_token, made.secret)
    assert driver.rows("SELECT revoked_at FROM tokens") == [first]


def test_somebody_elses_token_is_not_found_rather_than_forbidden(driver: ActionDriver, alice: Caller) -> None:
    made = driver.do(alice, create_token, CI)
    with pytest.raises(TokenNotFoundError):
        driver.do(driver.person("bob"), revoke_token, made.token.id)
    assert who(driver, made) is not None


@pytest.mark.parametrize("found", ["", "nonsense", "verihub_pat_", "well made", "\x00", "é"])
def test_reporting_what_is_no_token_says_nothing_and_ends_nothing(
    driver: ActionDriver, alice: Caller, found: str
) -> None:
    made = driver.do(alice, create_token, CI)
    driver.do(None, revoke_found_token, make_token_secret() if found == "well made" else found)
    assert who(driver, made) is not None


def test_a_scope_that_this_hub_no_longer_knows_hides_no_token(driver: ActionDriver, alice: Caller) -> None:
    """Else nobody could see, and so nobody revoke, what an older hub gave out."""
    made = driver.do(alice, create_token, CI)
    with driver.writing() as work:
        work.session.execute(update(TokenRow).values(scopes=["publish", "teleport"]))
    (token,) = driver.ask(alice, list_tokens)
    assert (token.id, token.scopes) == (made.token.id, [Scope.PUBLISH])


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": "x" * 81}, {"expires_days": 0}, {"expires_days": 366}])
def test_nameless_and_endless_tokens_cannot_be_asked_for(fields) -> None:
    with pytest.raises(ValidationError):
        TokenCreate(**{"name": "ci", **fields})


def test_an_account_has_a_bounded_number_of_tokens_and_can_make_room(
    driver: ActionDriver, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing bounded them: 120 were made in a minute."""
    monkeypatch.setattr(tokens, "MOST_TOKENS", 3)
    made = [driver.do(alice, create_token, CI) for _ in range(3 - len(driver.ask(alice, list_tokens)))]
    with pytest.raises(TooManyTokensError, match="revoke those that you do not need"):
        driver.do(alice, create_token, CI)
    passing = driver.do(alice, issue_publishing_token, alice.account_id, "ci", "alice/sums", timedelta(minutes=15))
    assert passing.secret, "a workflow's token is none of them"
    driver.do(alice, revoke_token, made[0].token.id)
    driver.do(alice, create_token, CI)
    with pytest.raises(TooManyTokensError):
        driver.do(alice, create_token, CI)
    driver.clock.advance(24 * 3600 + 1)
    assert driver.do(alice, create_token, CI).secret, "what has expired is none of them"


def test_a_login_beyond_the_limit_says_what_to_do(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_TOKENS", 1)
    api.sign_up("ann")
    refused = api.post("/api/v1/login", json={"name": "ann", "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (409, "token_limit")
    assert "account's page" in refused.json()["detail"]


def test_a_token_that_holds_is_listed_before_any_that_has_expired(driver: ActionDriver, alice: Caller) -> None:
    """A thief's token stood behind 200 newer ones of one day, and its owner never saw it."""
    driver.do(alice, create_token, TokenCreate(name="thief", expires_days=30))
    for _ in range(3):
        driver.do(alice, create_token, CI)
    driver.clock.advance(2 * 24 * 3600)
    listed = [one.name for one in driver.ask(alice, list_tokens)]
    assert listed.index("thief") < listed.index("ci")


def test_ended_tokens_stay_on_record_for_a_while_only(driver: ActionDriver, alice: Caller) -> None:
    ended = driver.do(alice, create_token, TokenCreate(name="ended", expires_days=365))
    driver.do(alice, create_token, TokenCreate(name="kept", expires_days=365))
    driver.do(alice, revoke_token, ended.token.id)

    def forget(work: UnitOfWork) -> set[str]:
        credentials.forget_expired(work.session, work.now)
        return set(work.session.scalars(select(TokenRow.name).where(TokenRow.name.in_(["ended", "kept"]))))

    assert driver.do(alice, forget) == {"ended", "kept"}
    driver.clock.advance(91 * 24 * 3600)
    assert driver.do(alice, forget) == {"kept"}


@pytest.mark.parametrize("letter", ["\u202e", "\x1b", "\n"])
def test_a_name_that_turns_letters_round_is_refused_by_the_api_and_by_the_form(api: Api, letter: str) -> None:
    ann = api.sign_up("ann").as_person()
    name = f"ci{letter}x"
    answer = ann.post("/api/v1/tokens", json={"name": name})
    assert answer.status_code == 422
    assert "without control characters" in answer.text
    login = api.post("/api/v1/login", json={"name": "ann", "password": PASSWORD, "token_name": name})
    device = api.post("/api/v1/device/code", json={"client_name": name})
    run = ann.post("/api/v1/runs", json={"name": name})
    assert [one.status_code for one in (login, device, run)] == [422] * 3
