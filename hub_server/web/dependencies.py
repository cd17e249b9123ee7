"""All that a route may ask for: services, credentials, and the transactions of its request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from hub_server.kernel.caller import Caller, Credentials
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.cookies import session_secret

Authenticate = Callable[[UnitOfWork, Credentials], Caller | None]
"""``accounts.actions.authenticate``, handed in by ``app``, because accounts stand above web."""

bearer = HTTPBearer(
    auto_error=False, description="A token: `verihub_pat_…`, from `POST /api/v1/login` or the account page."
)


def get_services(connection: HTTPConnection) -> Services:
    """The hub's services."""
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services


def get_credentials(connection: HTTPConnection) -> Credentials:
    """The bearer token, else the session's cookie. A request with a token is never a session's."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return Credentials(token=token.strip())
    return Credentials(session_secret=session_secret(connection))


ServicesDep = Annotated[Services, Depends(get_services)]
CredentialsDep = Annotated[Credentials, Depends(get_credentials)]


def read_transaction(
    connection: HTTPConnection, services: ServicesDep, credentials: CredentialsDep
) -> Iterator[UnitOfWork]:
    """A unit of work that only reads."""
    with services.database.reading() as session:
        yield authenticated(UnitOfWork(session, services), connection, credentials)


def write_transaction(
    connection: HTTPConnection, services: ServicesDep, credentials: CredentialsDep
) -> Iterator[UnitOfWork]:
    """The request's transaction.

    It commits when the route returns, before the answer leaves; it rolls back on a raise.
    """
    with services.database.writing() as session:
        yield authenticated(UnitOfWork(session, services), connection, credentials)


def authenticated(work: UnitOfWork, connection: HTTPConnection, credentials: Credentials) -> UnitOfWork:
    """``work`` with its caller."""
    authenticate: Authenticate = connection.app.state.authenticate
    return replace(work, caller=authenticate(work, credentials))


@dataclass(frozen=True)
class Transactions:
    """Several short transactions of one request. None may be open while code runs, a body comes in or a wheel is read.

    Each authenticates the caller again, because a token may have been revoked since the last transaction.
    """

    connection: HTTPConnection
    services: Services
    credentials: Credentials

    @contextmanager
    def reading(self) -> Iterator[UnitOfWork]:
        """One that only reads; the rows that it found stay usable after it."""
        with self.services.database.reading() as session:
            yield authenticated(UnitOfWork(session, self.services), self.connection, self.credentials)

    @contextmanager
    def writing(self) -> Iterator[UnitOfWork]:
        """One that writes: it commits at the end of the block, and rolls back on a raise."""
        with self.services.database.writing() as session:
            yield authenticated(UnitOfWork(session, self.services), self.connection, self.credentials)


def get_transactions(connection: HTTPConnection, services: ServicesDep, credentials: CredentialsDep) -> Transactions:
    """The request's :class:`Transactions`. None is opened yet."""
    return Transactions(connection, services, credentials)


TransactionsDep = Annotated[Transactions, Depends(get_transactions)]


def find_caller(connection: HTTPConnection, credentials: Credentials) -> Caller | None:
    """Who sent this, in a transaction of its own. Raises ``NotAuthenticatedError`` for a bad token."""
    services = get_services(connection)
    with services.database.reading() as session:
        return authenticated(UnitOfWork(session, services), connection, credentials).caller


ReadTransaction = Annotated[UnitOfWork, Depends(read_transaction, scope="function")]
WriteTransaction = Annotated[UnitOfWork, Depends(write_transaction, scope="function")]


def public_url(connection: HTTPConnection, services: Services) -> str:
    """How readers reach this hub: as set, else as this request came."""
    return (services.settings.public_url or str(connection.base_url)).rstrip("/")
