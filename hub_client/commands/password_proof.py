"""What no token may do: the same call again, after the password was typed."""

import getpass
import sys
from typing import TypeVar

from hub_client.client import Hub
from hub_client.commands.command_context import CommandContext
from hub_client.errors import PolicyError, UsageError
from hub_client.transport.requests import accounts
from hub_client.transport.requests.call import ApiCall
from schemas.account import PasswordProof
from schemas.problem import ProblemCode

Answer = TypeVar("Answer")


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
    proof = context.hub.send(accounts.open_proof(PasswordProof(name=name, password=_password_of(name))))
    with Hub(settings=context.settings.model_copy(update={"token": proof.secret})) as hub:
        return hub.send(call)


def _password_of(name: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"password of {name}: ")
    typed = sys.stdin.readline().rstrip("\r\n")
    if not typed:
        raise UsageError(
            "no token may do this, and there is no terminal to type the password on: send it to stdin, or use the "
            "account's page in a browser"
        )
    return typed
