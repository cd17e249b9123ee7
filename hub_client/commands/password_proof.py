"""Repeats a request that no token may make, after asking for the password."""

import getpass
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from hub_client.client import Hub
from hub_client.commands.browser_confirmation import confirmed_in_browser
from hub_client.commands.command_context import CommandContext
from hub_client.errors import CodeNeededError, NotLoggedInError, PolicyError, UsageError
from hub_client.transport.requests import accounts
from hub_client.transport.requests.call import ApiCall
from schemas.account import SHORTEST_PASSWORD, LoginRequest, PasswordChange, PasswordProof, SudoCreated
from schemas.problem import ProblemCode

Answer = TypeVar("Answer")
Request = TypeVar("Request", LoginRequest, PasswordChange, PasswordProof)
_NO_CODE = (
    "the account has a second factor: type its code or a recovery code. A security key works in a browser: "
    "`verihub login --browser`"
)


def send_as_person(context: CommandContext, call: ApiCall[Answer]) -> Answer:
    """Send ``call``. Where the hub asks for the password, ask for it, and send the call with the proof.

    The password is read from the terminal, or from stdin where that is no terminal; the proof is kept nowhere. An
    empty line in place of the second factor's code sends the person to a browser, where a security key can answer.
    """
    try:
        return context.hub.send(call)
    except PolicyError as refusal:
        if refusal.problem is None or refusal.problem.code != ProblemCode.PASSWORD_NEEDED:
            raise
    with person_of(context) as hub:
        return hub.send(call)


@contextmanager
def person_of(context: CommandContext) -> Iterator[Hub]:
    """The hub as the person, who types the password first: for several calls that no token may make."""
    name = context.hub.send(accounts.whoami()).name
    proof = _proof_of(context, PasswordProof(name=name, password=password_of(name)))
    with Hub(settings=context.settings.model_copy(update={"token": proof.secret})) as hub:
        yield hub


def _proof_of(context: CommandContext, request: PasswordProof) -> SudoCreated:
    try:
        return _sent(context, accounts.open_proof(request))
    except CodeNeededError:
        code = _code("code of the second factor, or a recovery code; empty: a security key answers in a browser: ")
    if code.strip():
        return _sent(context, accounts.open_proof(request.model_copy(update={"code": code.strip()})))
    if not code:
        raise UsageError(_NO_CODE)
    started = context.hub.send(accounts.start_device_login(purpose="proof"))
    return confirmed_in_browser(context, started, accounts.collect_device_proof)


def send_with_code(context: CommandContext, call: Callable[[Request], ApiCall[Answer]], request: Request) -> Answer:
    """Send a request with a password. Where the account has a second factor, ask for its code, and send it again.

    The code is read from the terminal, or from stdin (the line after the password) where that is no terminal.
    """
    try:
        return _sent(context, call(request))
    except CodeNeededError:
        code = _code("code of the second factor, or a recovery code: ")
    if not code.strip():
        raise UsageError(_NO_CODE)
    return _sent(context, call(request.model_copy(update={"code": code.strip()})))


def _code(question: str) -> str:
    """What was typed, an empty line as a line; nothing where stdin has ended."""
    return getpass.getpass(question) + "\n" if sys.stdin.isatty() else sys.stdin.readline()


def _sent(context: CommandContext, call: ApiCall[Answer]) -> Answer:
    """Send what was typed. Where it is wrong, the advice to log in would mislead: only the hub's words are left."""
    try:
        return context.hub.send(call)
    except NotLoggedInError as refusal:
        if refusal.problem is None:
            raise
        raise NotLoggedInError(refusal.problem.detail, problem=refusal.problem) from None


def password_of(name: str) -> str:
    """The password that somebody has, from the terminal, or from stdin where that is no terminal."""
    if sys.stdin.isatty():
        return getpass.getpass(f"password of {name}: ")
    typed = sys.stdin.readline().rstrip("\r\n")
    if not typed:
        raise UsageError(
            f"a token is not enough for this, and there is no terminal to type the password of {name} on: send the "
            "password to stdin, or use the account's page in a browser"
        )
    return typed


def ask_password(*, is_new: bool) -> str:
    """Ask on the terminal. ``getpass`` switches the echo off before it prints the prompt, so nothing typed is shown."""
    if not is_new:
        return getpass.getpass("password: ")
    while True:
        password = getpass.getpass(f"new password ({SHORTEST_PASSWORD} characters or more): ")
        if len(password) < SHORTEST_PASSWORD:
            sys.stderr.write(f"this one has {len(password)} characters\n")
        elif getpass.getpass("the same again: ") != password:
            sys.stderr.write("the two differ\n")
        else:
            return password
