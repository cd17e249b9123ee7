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
    """The secret in the session's cookie, or None."""
    name = _SECURE_NAME if _is_secure(connection) else _PLAIN_NAME
    return connection.cookies.get(name) or None


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
