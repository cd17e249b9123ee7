"""Who may read the numbers of the whole hub: whoever has the operator's token. Without one, nobody.

Where a request comes from says nothing: a proxy on the hub's own machine brings everybody's, with or without a header
that says so.
"""

from hmac import compare_digest

from starlette.requests import HTTPConnection
from starlette.types import Scope

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import bearer_token


def check_metrics_reader(connection: HTTPConnection, token: str) -> None:
    """Refuse whoever is not the operator's monitoring. ``token`` empty: there is none, and nobody may.

    Raises ``NotAuthenticatedError``, ``NotAllowedError``.
    """
    if not token:
        raise NotAllowedError(
            "These numbers count everybody's jobs, so nobody reads them until the operator sets "
            "VERIHUB_SERVER_METRICS_TOKEN."
        )
    if not _brings(connection, token):
        raise NotAuthenticatedError(
            "These numbers are the operator's: send VERIHUB_SERVER_METRICS_TOKEN as `Authorization: Bearer TOKEN`."
        )


def is_scrape(scope: Scope, token: str) -> bool:
    """Whether this is the operator's own monitoring: it is served also where the database that counts senders is away.

    Whoever only tries tokens is counted as everybody is.
    """
    is_asked = scope["type"] == "http" and scope["path"] == "/metrics"
    return is_asked and bool(token) and _brings(HTTPConnection(scope), token)


def _brings(connection: HTTPConnection, token: str) -> bool:
    return compare_digest((bearer_token(connection.headers) or "").encode(), token.encode())
