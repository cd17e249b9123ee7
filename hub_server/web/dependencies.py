"""All that a route may ask for: parts, credentials, and the one transaction of its request."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from hub_server.caller import Caller, Credentials
from hub_server.parts import Parts
from hub_server.web.cookies import session_secret
from hub_server.work import Work

Authenticate = Callable[[Work, Credentials], Caller | None]
"""``accounts.actions.authenticate``, handed in by ``app``, because accounts stand above web."""

bearer = HTTPBearer(
    auto_error=False, description="A token: `verihub_pat_…`, from `POST /api/v1/login` or the account page."
)


def get_parts(connection: HTTPConnection) -> Parts:
    """The hub's parts."""
    parts = connection.app.state.parts
    assert isinstance(parts, Parts)
    return parts


def get_credentials(connection: HTTPConnection) -> Credentials:
    """The bearer token, else the session's cookie. A request with a token is never a session's."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return Credentials(token=token.strip())
    return Credentials(session_secret=session_secret(connection))


PartsDep = Annotated[Parts, Depends(get_parts)]
CredentialsDep = Annotated[Credentials, Depends(get_credentials)]


def reading_work(connection: HTTPConnection, parts: PartsDep, credentials: CredentialsDep) -> Iterator[Work]:
    """A unit of work that only reads."""
    with parts.database.reading() as session:
        yield authenticated(Work(session, parts), connection, credentials)


def writing_work(connection: HTTPConnection, parts: PartsDep, credentials: CredentialsDep) -> Iterator[Work]:
    """The request's transaction.

    It commits when the route returns, before the answer leaves; it rolls back on a raise.
    """
    with parts.database.writing() as session:
        yield authenticated(Work(session, parts), connection, credentials)


def authenticated(work: Work, connection: HTTPConnection, credentials: Credentials) -> Work:
    """``work`` with its caller."""
    authenticate: Authenticate = connection.app.state.authenticate
    return replace(work, caller=authenticate(work, credentials))


ReadWork = Annotated[Work, Depends(reading_work, scope="function")]
WriteWork = Annotated[Work, Depends(writing_work, scope="function")]


def public_url(connection: HTTPConnection, parts: Parts) -> str:
    """How readers reach this hub: as set, else as this request came."""
    return (parts.settings.public_url or str(connection.base_url)).rstrip("/")
