"""All that a route may ask for: parts, credentials, and the transactions of its request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from hub_server.kernel.caller import Caller, Credentials
from hub_server.kernel.parts import Parts
from hub_server.kernel.work import Work
from hub_server.web.cookies import session_secret

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


@dataclass(frozen=True)
class Transactions:
    """Several short transactions of one request. None may be open while code runs, a body comes in or a wheel is read.

    Each asks anew who the caller is: a token may have been revoked since the last one.
    """

    connection: HTTPConnection
    parts: Parts
    credentials: Credentials

    @contextmanager
    def reading(self) -> Iterator[Work]:
        """One that only reads; the rows that it found stay usable after it."""
        with self.parts.database.reading() as session:
            yield authenticated(Work(session, self.parts), self.connection, self.credentials)

    @contextmanager
    def writing(self) -> Iterator[Work]:
        """One that writes: it commits at the end of the block, and rolls back on a raise."""
        with self.parts.database.writing() as session:
            yield authenticated(Work(session, self.parts), self.connection, self.credentials)


def get_transactions(connection: HTTPConnection, parts: PartsDep, credentials: CredentialsDep) -> Transactions:
    """Opens nothing yet."""
    return Transactions(connection, parts, credentials)


TransactionsDep = Annotated[Transactions, Depends(get_transactions)]


def find_caller(connection: HTTPConnection, credentials: Credentials) -> Caller | None:
    """Who sent this, in a transaction of its own. Raises ``NotAuthenticatedError`` for a bad token."""
    parts = get_parts(connection)
    with parts.database.reading() as session:
        return authenticated(Work(session, parts), connection, credentials).caller


ReadWork = Annotated[Work, Depends(reading_work, scope="function")]
WriteWork = Annotated[Work, Depends(writing_work, scope="function")]


def public_url(connection: HTTPConnection, parts: Parts) -> str:
    """How readers reach this hub: as set, else as this request came."""
    return (parts.settings.public_url or str(connection.base_url)).rstrip("/")
