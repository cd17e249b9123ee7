"""Accounts and tokens: what may be asked for, and that a secret appears where it is promised and nowhere else."""

from datetime import UTC, datetime

import pytest

from schemas.account import (
    Account,
    AccountCreate,
    AccountCreated,
    DeviceCode,
    DeviceCodeRequest,
    DeviceTokenRequest,
    LoginRequest,
    Member,
    Organization,
    OrganizationCreate,
    OwnerProfile,
    PasswordChange,
    Profile,
    Scope,
    Token,
    TokenCreate,
    TokenCreated,
    TokenSecret,
)
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
WISH = {"name": "alice", "email": "alice@example.org", "password": "correct horse"}
ACCOUNT = {"name": "alice", "created_at": NOW, "is_moderator": True}
TOKEN = {
    "id": "t1",
    "name": "laptop",
    "scopes": ["publish"],
    "created_at": NOW,
    "expires_at": NOW,
    "last_used_at": None,
}
EXAMPLES = {
    AccountCreate: WISH,
    Account: ACCOUNT,
    AccountCreated: {"account": ACCOUNT, "token": "secret"},
    LoginRequest: {"name": "alice", "password": "x", "token_name": "login"},
    PasswordChange: {"old": "x", "new": "correct horse"},
    TokenCreate: {"name": "laptop", "scopes": ["read"], "expires_days": 30},
    Token: TOKEN,
    TokenCreated: {"token": TOKEN, "secret": "secret"},
    DeviceCodeRequest: {"client_name": "verihub"},
    DeviceCode: {"device_code": "d", "user_code": "u", "verification_uri": "v", "verification_uri_complete": "w", "expires_in": 600, "interval": 5},
    DeviceTokenRequest: {"device_code": "d"},
    TokenSecret: {"token": "secret"},
    OrganizationCreate: {"name": "lab", "display_name": "The Lab"},
    Profile: {"display_name": "The Lab", "description": "Chemistry.", "link": "https://example.org"},
    OwnerProfile: {"name": "lab", "kind": "organization", "created_at": NOW, "description": "Chemistry."},
    Member: {"account": "alice", "role": "owner"},
    Organization: {"name": "lab", "display_name": "", "created_at": NOW, "members": [{"account": "alice"}]},
}  # fmt: skip


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_it_travels(model) -> None:
    check_wire(model, EXAMPLES[model])


@pytest.mark.parametrize("name", ["a", "Alice", "al-ice", "al_ice", "alice\n", "älice", "x" * 40, "", "al ice", "../x"])
@pytest.mark.parametrize("model", [AccountCreate, LoginRequest, OrganizationCreate])
def test_a_name_is_two_to_thirty_nine_small_letters_and_digits(model, name: str) -> None:
    assert "name" in refusal(model, EXAMPLES[model] | {"name": name})


@pytest.mark.parametrize("name", ["al", "x" * 39, "007"])
def test_names_at_the_edges(name: str) -> None:
    assert AccountCreate.model_validate(WISH | {"name": name}).name == name


@pytest.mark.parametrize(
    "email", ["", "alice", "@", "a@", "@b", "a b@c", "a@b\nBcc: x@y", "a@b@c", "a@b ", "x" * 250 + "@b.de"]
)
def test_what_could_not_be_an_address_or_would_break_a_header_is_refused(email: str) -> None:
    assert "email" in refusal(AccountCreate, WISH | {"email": email})


@pytest.mark.parametrize("password", ["", "elevenchars", "x" * 1025])
def test_passwords_have_twelve_to_1024_characters(password: str) -> None:
    assert "password" in refusal(AccountCreate, WISH | {"password": password})
    assert "new" in refusal(PasswordChange, {"old": "x", "new": password})


def test_a_password_may_be_any_text() -> None:
    assert AccountCreate.model_validate(WISH | {"password": "пароль из слов 🔑"})


@pytest.mark.parametrize("days", [0, -1, 366, 10**30, 1.5, "soon", None])
def test_a_token_lives_a_day_to_a_year(days: object) -> None:
    assert "expires_days" in refusal(TokenCreate, {"name": "x", "expires_days": days})


def test_a_token_asked_for_without_scopes_may_do_what_the_command_line_needs_and_never_moderate() -> None:
    assert set(TokenCreate(name="x").scopes) == set(Scope) - {Scope.MODERATE}
    first, second = TokenCreate(name="x"), TokenCreate(name="y")
    assert first.scopes is not second.scopes


@pytest.mark.parametrize("scope", ["admin", "", "PUBLISH", None])
def test_there_are_no_other_scopes(scope: object) -> None:
    assert "scopes" in refusal(TokenCreate, {"name": "x", "scopes": [scope]})


@pytest.mark.parametrize("model", [Account, Token, Organization, Member, DeviceCodeRequest])
def test_what_is_shown_again_has_no_place_for_a_secret(model) -> None:
    assert not {"token", "secret", "password", "email", "device_code"} & set(model.model_fields)


def test_roles_are_owner_and_member_and_the_lesser_is_the_default() -> None:
    assert Member(account="alice").role == "member"
    assert "role" in refusal(Member, {"account": "alice", "role": "admin"})
