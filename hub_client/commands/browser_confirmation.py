"""Waits until a person has confirmed a code in a browser (RFC 8628)."""

import time
from collections.abc import Callable
from typing import TypeVar

from hub_client.commands.command_context import CommandContext
from hub_client.errors import LoginPendingError, NotLoggedInError
from hub_client.transport.requests.call import ApiCall
from schemas.account import DeviceCode

Answer = TypeVar("Answer")
_SLOW_DOWN_SECONDS = 5  # RFC 8628, 3.5


def confirmed_in_browser(
    context: CommandContext, code: DeviceCode, collect: Callable[[str], ApiCall[Answer]]
) -> Answer:
    """Show where to confirm ``code``, and poll by ``collect`` until somebody has. Raises ``NotLoggedInError``."""
    context.output.warn(f"open {code.verification_uri_complete} and confirm the code {code.user_code}")
    deadline, pause = time.monotonic() + code.expires_in, code.interval
    while time.monotonic() < deadline:
        time.sleep(pause)
        try:
            return context.hub.send(collect(code.device_code))
        except LoginPendingError as pending:
            pause += _SLOW_DOWN_SECONDS if pending.slow_down else 0
    raise NotLoggedInError("nobody confirmed the code in time: run the command again")
