"""Accounts, tokens and logging in."""

from typing import Literal
from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.account import (
    AccountCreate,
    AccountCreated,
    AuthorKey,
    AuthorKeyCreate,
    DeviceCode,
    DeviceCodeRequest,
    DeviceTokenRequest,
    Invitation,
    InvitationAnswer,
    LoginRequest,
    Member,
    Organization,
    OrganizationCreate,
    OwnAccount,
    OwnerProfile,
    PasswordProof,
    Profile,
    SudoCreated,
    Token,
    TokenCreate,
    TokenCreated,
)
from schemas.page import Page


def sign_up(account: AccountCreate) -> ApiCall[AccountCreated]:
    """Make an account; the answer holds its first token."""
    return ApiCall.send("POST", "/accounts", AccountCreated.read, account)


def log_in(request: LoginRequest) -> ApiCall[TokenCreated]:
    """Exchange a password for a token."""
    return ApiCall.send("POST", "/login", TokenCreated.read, request)


def open_proof(request: PasswordProof) -> ApiCall[SudoCreated]:
    """A secret of fifteen minutes that acts as the person, for what no token may do."""
    return ApiCall.send("POST", "/sudo", SudoCreated.read, request)


def whoami() -> ApiCall[OwnAccount]:
    """The account that the token belongs to, with its organisations."""
    return ApiCall.get("/account", OwnAccount.read)


def get_profile(owner: str) -> ApiCall[OwnerProfile]:
    """What a person or an organisation says of itself."""
    return ApiCall.get(f"/owners/{quote(owner, safe='')}", OwnerProfile.read)


def change_profile(owner: str, profile: Profile) -> ApiCall[OwnerProfile]:
    """Replace the whole profile."""
    return ApiCall.send("PUT", f"/owners/{quote(owner, safe='')}", OwnerProfile.read, profile)


def start_device_login(
    client_name: str = "verihub", purpose: Literal["token", "proof"] = "token"
) -> ApiCall[DeviceCode]:
    """Start a login, or a proof of fifteen minutes, that a person confirms in a browser."""
    request = DeviceCodeRequest(client_name=client_name, purpose=purpose)
    return ApiCall.send("POST", "/device/code", DeviceCode.read, request)


def collect_device_token(device_code: str) -> ApiCall[TokenCreated]:
    """One poll for the token. The hub refuses until somebody has confirmed."""
    return ApiCall.send("POST", "/device/token", TokenCreated.read, DeviceTokenRequest(device_code=device_code))


def collect_device_proof(device_code: str) -> ApiCall[SudoCreated]:
    """One poll for the proof. The hub refuses until somebody has confirmed."""
    return ApiCall.send("POST", "/device/proof", SudoCreated.read, DeviceTokenRequest(device_code=device_code))


def create_organization(request: OrganizationCreate) -> ApiCall[Organization]:
    """Create an organisation."""
    return ApiCall.send("POST", "/organizations", Organization.read, request)


def get_organization(name: str) -> ApiCall[Organization]:
    """An organisation with its members."""
    return ApiCall.get(f"/organizations/{quote(name, safe='')}", Organization.read)


def invite_member(organization: str, member: Member) -> ApiCall[Organization]:
    """Invite somebody, or change a member's role."""
    return ApiCall.send("PUT", f"/organizations/{quote(organization, safe='')}/members", Organization.read, member)


def remove_member(organization: str, account: str) -> ApiCall[Organization]:
    """Remove a member, take an invitation back, or leave."""
    where = f"/organizations/{quote(organization, safe='')}/members/{quote(account, safe='')}"
    return ApiCall.send("DELETE", where, Organization.read)


def list_invitations() -> ApiCall[Page[Invitation]]:
    """The organisations that have invited the account."""
    return ApiCall.get("/account/invitations", Page[Invitation].read)


def answer_invitation(organization: str, answer: InvitationAnswer) -> ApiCall[Organization]:
    """Accept or decline an invitation."""
    where = f"/organizations/{quote(organization, safe='')}/invitation"
    return ApiCall.send("POST", where, Organization.read, answer)


def list_tokens() -> ApiCall[Page[Token]]:
    """One's own tokens, without secrets."""
    return ApiCall.get("/tokens", Page[Token].read)


def create_token(request: TokenCreate) -> ApiCall[TokenCreated]:
    """A fresh token; its secret is shown once."""
    return ApiCall.send("POST", "/tokens", TokenCreated.read, request)


def revoke_token(token_id: str) -> ApiCall[None]:
    """Revoke a token. It stops working at once."""
    return ApiCall.send("DELETE", f"/tokens/{quote(token_id, safe='')}", nothing)


def list_author_keys() -> ApiCall[Page[AuthorKey]]:
    """The keys whose signatures on releases the hub takes as one's own."""
    return ApiCall.get("/account/author-keys", Page[AuthorKey].read)


def add_author_key(request: AuthorKeyCreate) -> ApiCall[AuthorKey]:
    """Register a key; one that is registered already stays so."""
    return ApiCall.send("POST", "/account/author-keys", AuthorKey.read, request)


def remove_author_key(key: str) -> ApiCall[None]:
    """Take no release any more that this key signs."""
    return ApiCall.send("DELETE", f"/account/author-keys/{quote(key, safe='')}", nothing)
