"""Calls about accounts: where each goes, what it carries, and what is never sent twice."""

import json

import pytest
from pydantic import ValidationError

from hub_client.transport.requests import accounts
from schemas.account import AccountCreate, LoginRequest, Scope, TokenCreate

SIGN_UP = AccountCreate(name="alice", email="a@example.org", password="correct horse battery")


@pytest.mark.parametrize(
    ("call", "method", "path", "repeatable"),
    [
        (accounts.sign_up(SIGN_UP), "POST", "/accounts", False),
        (accounts.log_in(LoginRequest(name="alice", password="x")), "POST", "/login", False),
        (accounts.whoami(), "GET", "/account", True),
        (accounts.start_device_login(), "POST", "/device/code", False),
        (accounts.collect_device_token("d"), "POST", "/device/token", False),
        (accounts.list_tokens(), "GET", "/tokens", True),
        (accounts.create_token(TokenCreate(name="ci")), "POST", "/tokens", False),
        (accounts.revoke_token("t1"), "DELETE", "/tokens/t1", True),
    ],
)
def test_where_each_call_goes_and_that_no_second_account_or_token_is_made(call, method, path, repeatable):
    assert (call.method, call.path.removeprefix("/api/v1"), call.is_repeatable) == (method, path, repeatable)


def test_secrets_travel_in_the_body_and_never_in_the_address():
    for call in (accounts.sign_up(SIGN_UP), accounts.log_in(LoginRequest(name="alice", password=SIGN_UP.password))):
        assert json.loads(call.content)["password"] == SIGN_UP.password
        assert SIGN_UP.password not in f"{call.path}{call.params}{call.headers}"
    poll = accounts.collect_device_token("secret-device")
    assert json.loads(poll.content) == {"device_code": "secret-device"}
    assert "secret" not in f"{poll.path}{poll.params}"


@pytest.mark.parametrize("token_id", ["../accounts/alice", "a/b", "a?x=1", "a#b", "a b", "%2e%2e/x"])
def test_no_token_id_leads_elsewhere(token_id):
    path = accounts.revoke_token(token_id).path
    assert path.removeprefix("/api/v1").count("/") == 2
    assert not set("?# ") & set(path)


def test_a_token_asks_for_what_was_named_and_no_more():
    sent = json.loads(accounts.create_token(TokenCreate(name="ci", scopes=[Scope.PUBLISH], expires_days=30)).content)
    assert sent == {"name": "ci", "scopes": ["publish"], "expires_days": 30}


@pytest.mark.parametrize("answer", [{}, [], None, {"name": "Not A Name", "created_at": "2026-01-01T00:00:00Z"}])
def test_a_hub_that_answers_with_no_account_is_not_believed(answer):
    with pytest.raises(ValidationError):
        accounts.whoami().read(answer)
