"""Accounts, tokens and logging in."""

from urllib.parse import quote

from hub_client.requests.call import ApiCall, items_of, nothing
from schemas.account import Account, AccountCreate, AccountCreated, LoginRequest, Token, TokenCreate, TokenCreated


def sign_up(account: AccountCreate) -> ApiCall[AccountCreated]:
    """Make an account; the answer holds its first token."""
    return ApiCall.send("POST", "/accounts", AccountCreated.read, account)


def log_in(request: LoginRequest) -> ApiCall[TokenCreated]:
    """Exchange a password for a token."""
    return ApiCall.send("POST", "/login", TokenCreated.read, request)


def whoami() -> ApiCall[Account]:
    """The account that the token belongs to."""
    return ApiCall.get("/account", Account.read)


def list_tokens() -> ApiCall[list[Token]]:
    """One's own tokens, without secrets."""
    return ApiCall.get("/tokens", items_of(Token))


def create_token(request: TokenCreate) -> ApiCall[TokenCreated]:
    """A fresh token; its secret is shown once."""
    return ApiCall.send("POST", "/tokens", TokenCreated.read, request)


def revoke_token(token_id: str) -> ApiCall[None]:
    """Make a token useless, now."""
    return ApiCall.send("DELETE", f"/tokens/{quote(token_id, safe='')}", nothing)
