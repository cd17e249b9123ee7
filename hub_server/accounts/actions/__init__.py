"""What a person can do with accounts: one function for each action, one module for each subject."""

from hub_server.accounts.actions.authentication import (
    authenticate,
    change_password,
    close_web_session,
    find_caller_account,
    forget_expired,
    get_account,
    hash_password,
    log_in,
    open_web_session,
    prove_password,
    sign_up,
)
from hub_server.accounts.actions.devices import approve_device, collect_device_token, deny_device, start_device_login
from hub_server.accounts.actions.organizations import (
    answer_invitation,
    create_organization,
    get_organization,
    invite_member,
    list_invitations,
    list_organizations_of,
    members_by_organization,
    remove_member,
)
from hub_server.accounts.actions.tokens import create_token, list_tokens, revoke_found_token, revoke_token

__all__ = [
    "answer_invitation",
    "approve_device",
    "authenticate",
    "change_password",
    "close_web_session",
    "collect_device_token",
    "create_organization",
    "create_token",
    "deny_device",
    "find_caller_account",
    "forget_expired",
    "get_account",
    "get_organization",
    "hash_password",
    "invite_member",
    "list_invitations",
    "list_organizations_of",
    "list_tokens",
    "log_in",
    "members_by_organization",
    "open_web_session",
    "prove_password",
    "remove_member",
    "revoke_found_token",
    "revoke_token",
    "sign_up",
    "start_device_login",
]
