"""Accounts, tokens, device login and organisations over HTTP."""

from fastapi import APIRouter, Request, Response

from hub_server.accounts import actions
from hub_server.accounts.errors import DeviceSlowDownError
from hub_server.accounts.rules.secrets import DEVICE_POLL_SECONDS, secret_hash
from hub_server.kernel.caller import require_caller, require_password
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.buckets import Buckets
from hub_server.web.dependencies import ReadTransaction, ServicesDep, TransactionsDep, WriteTransaction, public_url
from hub_server.web.openapi import PROBLEMS
from schemas.account import (
    Account,
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
    PasswordReset,
    Profile,
    RecoveryCodes,
    RecoveryRequest,
    SecondFactorCode,
    SecondFactorStart,
    SecondFactorState,
    SudoCreated,
    Token,
    TokenCreate,
    TokenCreated,
    TokenSecret,
    WebSession,
)
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["accounts"], responses=PROBLEMS)


@router.post("/accounts", status_code=201, summary="Sign up")
def create_account(body: AccountCreate, services: ServicesDep, response: Response) -> AccountCreated:
    response.headers["Cache-Control"] = "no-store"
    password_hash = actions.hash_password(body.password)
    with services.database.writing() as session:
        return actions.sign_up(UnitOfWork(session, services), body, password_hash)


@router.get("/account", summary="Who am I")
def read_own_account(work: ReadTransaction) -> OwnAccount:
    return actions.get_own_account(work)


@router.get("/accounts/{name}", summary="An account")
def read_account(name: str, work: ReadTransaction) -> Account:
    return actions.get_account(work, name)


@router.get("/owners/{name}", summary="What a person or an organisation says of itself")
def read_profile(name: str, work: ReadTransaction) -> OwnerProfile:
    return actions.get_profile(work, name)


@router.put("/owners/{name}", summary="Change what my page, or my organisation's, says")
def change_profile(name: str, body: Profile, work: WriteTransaction) -> OwnerProfile:
    return actions.change_profile(work, name, body)


@router.post("/login", summary="Exchange a password for a token")
def log_in(body: LoginRequest, services: ServicesDep, response: Response) -> TokenCreated:
    response.headers["Cache-Control"] = "no-store"
    proven = actions.prove_password(services, body.name, body.password, body.code)
    with services.database.writing() as session:
        return actions.log_in(UnitOfWork(session, services), proven, body.token_name)


@router.post("/account/password", status_code=204, summary="Change my password; ends browsers and tokens")
def change_password(body: PasswordChange, transactions: TransactionsDep) -> None:
    services = transactions.services
    with transactions.reading() as work:
        name = require_caller(work.caller).name
        known = actions.known_of(work.caller, name)
    proven = actions.prove_password(services, name, body.old, body.code, known=known)
    new_hash = actions.hash_password(body.new)
    with transactions.writing() as work:
        actions.change_password(work, proven, new_hash)


@router.post("/account/recovery", status_code=202, summary="Have a link mailed that sets a new password")
def ask_for_reset(body: RecoveryRequest, work: WriteTransaction) -> None:
    actions.ask_for_reset(work, body.account)


@router.post("/account/recovery/password", status_code=204, summary="Set a new password by a mailed code")
def reset_password(body: PasswordReset, services: ServicesDep) -> None:
    with services.database.reading() as session:  # hashing costs time, which no made-up code gets
        actions.check_reset(UnitOfWork(session, services), body.code)
    new_hash = actions.hash_password(body.new)
    with services.database.writing() as session:
        actions.reset_password(UnitOfWork(session, services), body.code, new_hash)


@router.get("/account/email", summary="My e-mail address, and whether it is confirmed")
def read_email(work: ReadTransaction, response: Response) -> EmailState:
    response.headers["Cache-Control"] = "no-store"
    return actions.get_email(work)


@router.put("/account/email", status_code=204, summary="Change my e-mail address; a link is mailed to the new one")
def change_email(body: EmailChange, work: WriteTransaction) -> None:
    actions.change_email(work, body.email)


@router.post("/account/email/link", status_code=202, summary="Have the link mailed again that confirms my address")
def ask_for_confirmation(work: WriteTransaction) -> None:
    actions.ask_for_confirmation(work)


@router.post("/account/email/confirmation", status_code=204, summary="Confirm an address by a mailed code")
def confirm_email(body: EmailConfirmation, work: WriteTransaction) -> None:
    actions.confirm_email(work, body.code)


@router.get("/account/second-factor", summary="Which second factors my account has")
def read_second_factor(work: ReadTransaction) -> SecondFactorState:
    return actions.get_second_factor(work)


@router.post("/account/second-factor", summary="A fresh secret for an authenticator app")
def start_second_factor(work: WriteTransaction, response: Response) -> SecondFactorStart:
    response.headers["Cache-Control"] = "no-store"
    return actions.start_second_factor(work)


@router.put("/account/second-factor", summary="Switch the second factor on; the answer holds the recovery codes")
def enable_second_factor(body: SecondFactorCode, work: WriteTransaction, response: Response) -> RecoveryCodes:
    response.headers["Cache-Control"] = "no-store"
    return actions.enable_second_factor(work, body.code)


@router.post("/account/second-factor/off", status_code=204, summary="Switch the authenticator app off, by a code")
def disable_second_factor(body: SecondFactorCode, transactions: TransactionsDep) -> None:
    with transactions.reading() as work:
        name = require_password(work.caller).name
    factor = actions.prove_factor(transactions.services, name, body.code)
    with transactions.having_shown(factor).writing() as work:
        actions.disable_second_factor(work)


@router.get("/account/author-keys", summary="Keys that my releases are signed with")
def list_author_keys(work: ReadTransaction) -> Page[AuthorKey]:
    return Page[AuthorKey](items=actions.list_author_keys(work))


@router.post("/account/author-keys", status_code=201, summary="Register a key that my releases are signed with")
def add_author_key(body: AuthorKeyCreate, work: WriteTransaction) -> AuthorKey:
    return actions.add_author_key(work, body)


@router.delete(
    "/account/author-keys/{key_id}", status_code=204, summary="Remove a key that my releases are signed with"
)
def remove_author_key(key_id: str, work: WriteTransaction) -> None:
    actions.remove_author_key(work, key_id)


@router.delete("/account/security-keys/{key_id}", status_code=204, summary="Remove one of my security keys")
def remove_security_key(key_id: str, work: WriteTransaction) -> None:
    actions.remove_security_key(work, key_id)


@router.post("/sudo", summary="Type the password again: a secret of 15 minutes for what no token may do")
def open_proof(body: PasswordProof, transactions: TransactionsDep, response: Response) -> SudoCreated:
    response.headers["Cache-Control"] = "no-store"
    with transactions.reading() as work:
        known = actions.known_of(work.caller, body.name)
    proven = actions.prove_password(transactions.services, body.name, body.password, body.code, known=known)
    with transactions.writing() as work:
        return actions.open_proof(work, proven)


@router.get("/sessions", summary="Browsers that are logged in as me")
def list_web_sessions(work: ReadTransaction) -> Page[WebSession]:
    return Page[WebSession](items=actions.list_web_sessions(work))


@router.delete("/sessions/{session_id}", status_code=204, summary="Log one of my browsers out")
def end_web_session(session_id: str, work: WriteTransaction) -> None:
    actions.end_web_session(work, session_id)


@router.get("/account/activity", summary="What my account changed, newest first")
def list_own_activity(work: ReadTransaction, cursor: str | None = None, limit: int = 50) -> Page[Activity]:
    return actions.list_own_activity(work, cursor=cursor, limit=limit)


@router.get("/tokens", summary="My tokens")
def list_tokens(work: ReadTransaction) -> Page[Token]:
    return Page[Token](items=actions.list_tokens(work))


@router.post("/tokens", status_code=201, summary="Make a token")
def create_token(body: TokenCreate, work: WriteTransaction, response: Response) -> TokenCreated:
    response.headers["Cache-Control"] = "no-store"
    return actions.create_token(work, body)


@router.delete("/tokens/{token_id}", status_code=204, summary="Revoke one of my tokens")
def revoke_token(token_id: str, work: WriteTransaction) -> None:
    actions.revoke_token(work, token_id)


@router.post("/tokens/revoke", status_code=204, summary="Revoke a token that somebody found")
def revoke_found_token(body: TokenSecret, work: WriteTransaction) -> None:
    actions.revoke_found_token(work, body.token)


@router.post("/device/code", summary="Ask to be let in by a person at a browser (RFC 8628)")
def start_device_login(
    body: DeviceCodeRequest, request: Request, services: ServicesDep, work: WriteTransaction
) -> DeviceCode:
    page = public_url(request, services) + "/device"
    return actions.start_device_login(work, body.client_name, page, is_proof=body.purpose == "proof")


@router.post("/device/token", summary="Poll for the token of a device login")
def collect_device_token(
    body: DeviceTokenRequest, request: Request, work: WriteTransaction, response: Response
) -> TokenCreated:
    _slow_down(request, body)
    response.headers["Cache-Control"] = "no-store"
    return actions.collect_device_token(work, body.device_code)


@router.post("/device/proof", summary="Poll for the secret of 15 minutes that a person was asked for at a browser")
def collect_device_proof(
    body: DeviceTokenRequest, request: Request, work: WriteTransaction, response: Response
) -> SudoCreated:
    _slow_down(request, body)
    response.headers["Cache-Control"] = "no-store"
    return actions.collect_device_proof(work, body.device_code)


def _slow_down(request: Request, body: DeviceTokenRequest) -> None:
    polls: Buckets = request.app.state.device_polls
    if polls.take(secret_hash(body.device_code)):
        raise DeviceSlowDownError(f"Poll every {DEVICE_POLL_SECONDS} seconds.")


@router.post("/organizations", status_code=201, summary="Create an organisation")
def create_organization(body: OrganizationCreate, work: WriteTransaction) -> Organization:
    return actions.create_organization(work, body)


@router.get("/account/invitations", summary="Organisations that have invited me")
def list_invitations(work: ReadTransaction) -> Page[Invitation]:
    return Page[Invitation](items=actions.list_invitations(work))


@router.post("/organizations/{name}/invitation", summary="Accept or decline an invitation")
def answer_invitation(name: str, body: InvitationAnswer, work: WriteTransaction) -> Organization:
    return actions.answer_invitation(work, name, accept=body.accept)


@router.get("/organizations/{name}", summary="An organisation and its members")
def read_organization(name: str, work: ReadTransaction) -> Organization:
    return actions.get_organization(work, name)


@router.put("/organizations/{name}/members", summary="Invite somebody, or change a member's role")
def invite_member(name: str, body: Member, work: WriteTransaction) -> Organization:
    return actions.invite_member(work, name, body)


@router.delete("/organizations/{name}/members/{account}", summary="Remove a member, take an invitation back, or leave")
def remove_member(name: str, account: str, work: WriteTransaction) -> Organization:
    return actions.remove_member(work, name, account)
