"""Repeats a request that no token may make, after asking for the password."""

import getpass
import sys
from collections.abc import Callable
from typing import TypeVar

from hub_client.client import Hub
from hub_client.commands.command_context import CommandContext
from hub_client.errors import CodeNeededError, NotLoggedInError, PolicyError, UsageError
from hub_client.transport.requests import accounts
from hub_client.transport.requests.call import ApiCall
from schemas.account import LoginRequest, PasswordProof
from schemas.problem import ProblemCode

Answer = TypeVar("Answer")
Request = TypeVar("Request", LoginRequest, PasswordProof)


def send_as_person(context: CommandContext, call: ApiCall[Answer]) -> Answer:
    """Send ``call``. Where the hub asks for the password, ask for it, and send the call with the proof.

    The password is read from the terminal, or from stdin where that is no terminal; the proof is kept nowhere.
    """
    try:
        return context.hub.send(call)
    except PolicyError as refusal:
        if refusal.problem is None or refusal.problem.code != ProblemCode.PASSWORD_NEEDED:
            raise
    name = context.hub.send(accounts.whoami()).name
    proof = send_with_code(context, accounts.open_proof, PasswordProof(name=name, password=_password_of(name)))
    with Hub(settings=context.settings.model_copy(update={"token": proof.secret})) as hub:
        return hub.send(call)


def send_with_code(context: CommandContext, call: Callable[[Request], ApiCall[Answer]], request: Request) -> Answer:
    """Send a request with a password. Where the account has a second factor, ask for its code, and send it again.

    The code is read from the terminal, or from stdin (the line after the password) where that is no terminal.
    """
    try:
        return _sent(context, call(request))
    except CodeNeededError:
        asked = "code of the second factor, or a recovery code: "
        code = getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline()
    if not code.strip():
        raise UsageError(
            "the account has a second factor: type its code or a recovery code. A security key works in a browser: "
            "`verihub login --browser`"
        )
    return _sent(context, call(request.model_copy(update={"code": code.strip()})))


def _sent(context: CommandContext, call: ApiCall[Answer]) -> Answer:
    """Send what was typed. Where it is wrong, the advice to log in would mislead: only the hub's words are left."""
    try:
        return context.hub.send(call)
    except NotLoggedInError as refusal:
        if refusal.problem is None:
            raise
        raise NotLoggedInError(refusal.problem.detail, problem=refusal.problem) from None


def _password_of(name: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"password of {name}: ")
    typed = sys.stdin.readline().rstrip("\r\n")
    if not typed:
        raise UsageError(
            f"a token is not enough for this, and there is no terminal to type the password of {name} on: send the "
            "password to stdin, or use the account's page in a browser"
        )
    return typed
