"""Who may read the numbers of the whole hub: whoever has the operator's token; without one, this machine alone."""

import ipaddress
from hmac import compare_digest

from starlette.requests import HTTPConnection

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import bearer_token

_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers of proxies: what they bring comes from their own machine, whoever asked them."""


def check_metrics_reader(connection: HTTPConnection, token: str) -> None:
    """Refuse whoever is neither the operator's monitoring nor on this machine. ``token`` empty: there is none.

    Raises ``NotAuthenticatedError``, ``NotAllowedError``.
    """
    if token:
        if not compare_digest((bearer_token(connection.headers) or "").encode(), token.encode()):
            raise NotAuthenticatedError(
                "These numbers are the operator's: send VERIHUB_SERVER_METRICS_TOKEN as `Authorization: Bearer TOKEN`."
            )
    elif not _is_here(connection):
        raise NotAllowedError(
            "These numbers count everybody's jobs, so they are shown on the hub's own machine alone, and not through a "
            "proxy: the operator can set VERIHUB_SERVER_METRICS_TOKEN."
        )


def _is_here(connection: HTTPConnection) -> bool:
    if connection.client is None or any(name in connection.headers for name in _FORWARDED):
        return False
    try:
        address = ipaddress.ip_address(connection.client.host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
