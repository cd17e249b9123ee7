"""Accounts, tokens and logging in."""

from typing import Literal
from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.account import (
    AccountCreate,
    AccountCreated,
    Activity,
    AuthorKey,
    AuthorKeyCreate,
    DeviceCode,
    DeviceCodeRequest,
    DeviceTokenRequest,
    EmailChange,
    EmailConfirmation,
    EmailState,
    Invitation,
    InvitationAnswer,
    LoginRequest,
    Member,
    Organization,
    OrganizationCreate,
    OwnAccount,
    OwnerProfile,
    PasswordChange,
    PasswordProof,
    Profile,
    RecoveryCodes,
    SecondFactorCode,
    SecondFactorStart,
    SecondFactorState,
    SudoCreated,
    Token,
    TokenCreate,
    TokenCreated,
    WebSession,
)
from schemas.evidence.standing import Standing
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


def get_standing(name: str, cursor: str | None = None) -> ApiCall[Standing]:
    """An account's points, where they come from, and what they allow."""
    return ApiCall.get(f"/accounts/{quote(name, safe='')}/standing", Standing.read, cursor=cursor)


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


def change_password(request: PasswordChange) -> ApiCall[None]:
    """Change the password. It ends every browser and every token, the one that sends it too."""
    return ApiCall.send("POST", "/account/password", nothing, request)


def get_email() -> ApiCall[EmailState]:
    """One's own address, and whether it is confirmed."""
    return ApiCall.get("/account/email", EmailState.read)


def change_email(request: EmailChange) -> ApiCall[None]:
    """Another address; a link is mailed to it."""
    return ApiCall.send("PUT", "/account/email", nothing, request)


def send_email_link() -> ApiCall[None]:
    """Mail the link again that confirms the address."""
    return ApiCall.send("POST", "/account/email/link", nothing)


def confirm_email(request: EmailConfirmation) -> ApiCall[None]:
    """Confirm the address by the code of a mailed link."""
    return ApiCall.send("POST", "/account/email/confirmation", nothing, request)


def get_second_factor() -> ApiCall[SecondFactorState]:
    """Which second factors the account has."""
    return ApiCall.get("/account/second-factor", SecondFactorState.read)


def start_second_factor() -> ApiCall[SecondFactorStart]:
    """A fresh secret for an authenticator app. It counts for nothing until a code of it has come."""
    return ApiCall.send("POST", "/account/second-factor", SecondFactorStart.read)


def enable_second_factor(request: SecondFactorCode) -> ApiCall[RecoveryCodes]:
    """Switch the second factor on, by a code of the app."""
    return ApiCall.send("PUT", "/account/second-factor", RecoveryCodes.read, request)


def disable_second_factor(request: SecondFactorCode) -> ApiCall[None]:
    """Switch the app off, by one of its codes or a recovery code."""
    return ApiCall.send("POST", "/account/second-factor/off", nothing, request)


def remove_security_key(key: str) -> ApiCall[None]:
    """Let a security key answer no more."""
    return ApiCall.send("DELETE", f"/account/security-keys/{quote(key, safe='')}", nothing)


def list_web_sessions() -> ApiCall[Page[WebSession]]:
    """Browsers that are logged in, and proofs of the password that still hold."""
    return ApiCall.get("/sessions", Page[WebSession].read)


def end_web_session(session: str) -> ApiCall[None]:
    """Log one of them out."""
    return ApiCall.send("DELETE", f"/sessions/{quote(session, safe='')}", nothing)


def list_activity(*, cursor: str | None = None, limit: int | None = None) -> ApiCall[Page[Activity]]:
    """What the account changed, newest first."""
    return ApiCall.get("/account/activity", Page[Activity].read, cursor=cursor, limit=limit)
