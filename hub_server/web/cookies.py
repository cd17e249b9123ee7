"""The cookies: of a browser's session, and of a browser that was signed in with, which has tries at the password of its
own. Over HTTPS their names have a prefix that only this origin can set.
"""

from datetime import timedelta

from starlette.requests import HTTPConnection
from starlette.responses import Response

from hub_server.kernel.caller import SESSION_LIFETIME, bearer_token

_SECURE_PREFIX = "__Host-"
_SESSION, _KNOWN = "verihub-session", "verihub-known"


def _is_secure(connection: HTTPConnection) -> bool:
    wanted: bool | None = connection.app.state.services.settings.secure_cookies
    return connection.url.scheme in ("https", "wss") if wanted is None else wanted


def session_secret(connection: HTTPConnection) -> str | None:
    """The secret of the browser's session: what this request has changed it to, else the cookie's.

    None without such a cookie, and for a request that brings a token.
    """
    if bearer_token(connection.headers):
        return None
    if (renewed := renewed_secret(connection)) is not None:
        return renewed
    return connection.cookies.get(_name(_SESSION, connection)) or None


def known_secret(connection: HTTPConnection) -> str | None:
    """The secret by which accounts know this browser, or None."""
    return connection.cookies.get(_name(_KNOWN, connection)) or None


def _name(cookie: str, connection: HTTPConnection) -> str:
    return (_SECURE_PREFIX if _is_secure(connection) else "") + cookie


def renew_session(connection: HTTPConnection, secret: str) -> None:
    """Let the answer to this request, whatever it is, set the session's cookie to ``secret``."""
    connection.state.renewed_session = secret


def renewed_secret(connection: HTTPConnection) -> str | None:
    """What this request has changed the session's secret to, or None."""
    renewed: str | None = getattr(connection.state, "renewed_session", None)
    return renewed


def set_session(response: Response, secret: str, connection: HTTPConnection) -> None:
    """Log this browser in."""
    _set(response, _SESSION, secret, SESSION_LIFETIME, connection)


def set_known(response: Response, secret: str, lifetime: timedelta, connection: HTTPConnection) -> None:
    """Let this browser be known from now on."""
    _set(response, _KNOWN, secret, lifetime, connection)


def _set(response: Response, cookie: str, secret: str, lifetime: timedelta, connection: HTTPConnection) -> None:
    response.set_cookie(
        _name(cookie, connection),
        secret,
        max_age=int(lifetime.total_seconds()),
        path="/",
        secure=_is_secure(connection),
        httponly=True,
        samesite="lax",
    )


def clear_session(response: Response, connection: HTTPConnection) -> None:
    """Log this browser out."""
    response.delete_cookie(
        _name(_SESSION, connection), path="/", secure=_is_secure(connection), httponly=True, samesite="lax"
    )
