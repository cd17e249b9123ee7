"""The one cookie: a browser's session. Over HTTPS its name has a prefix that only this origin can set."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

_SECURE_NAME = "__Host-verihub-session"
_PLAIN_NAME = "verihub-session"
_THIRTY_DAYS = 30 * 24 * 3600


def _is_secure(connection: HTTPConnection) -> bool:
    wanted: bool | None = connection.app.state.services.settings.secure_cookies
    return connection.url.scheme in ("https", "wss") if wanted is None else wanted


def session_secret(connection: HTTPConnection) -> str | None:
    """The secret of the browser's session, or None: what this request has changed it to, else the cookie's."""
    if (renewed := renewed_secret(connection)) is not None:
        return renewed
    name = _SECURE_NAME if _is_secure(connection) else _PLAIN_NAME
    return connection.cookies.get(name) or None


def renew_session(connection: HTTPConnection, secret: str) -> None:
    """Let the answer to this request, whatever it is, set the session's cookie to ``secret``."""
    connection.state.renewed_session = secret


def renewed_secret(connection: HTTPConnection) -> str | None:
    """What this request has changed the session's secret to, or None."""
    renewed: str | None = getattr(connection.state, "renewed_session", None)
    return renewed


def set_session(response: Response, secret: str, connection: HTTPConnection) -> None:
    """Log this browser in."""
    secure = _is_secure(connection)
    response.set_cookie(
        _SECURE_NAME if secure else _PLAIN_NAME,
        secret,
        max_age=_THIRTY_DAYS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def clear_session(response: Response, connection: HTTPConnection) -> None:
    """Log this browser out."""
    secure = _is_secure(connection)
    response.delete_cookie(
        _SECURE_NAME if secure else _PLAIN_NAME, path="/", secure=secure, httponly=True, samesite="lax"
    )
