"""All that a route may ask for: services, credentials, and the transactions of its request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from hub_server.database import activity
from hub_server.database.visibility import EVERYBODY, Viewer, see_as
from hub_server.kernel.caller import Caller, Credentials, ProvenFactor, bearer_token
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.cookies import session_secret

Authenticate = Callable[[UnitOfWork, Credentials], Caller | None]
"""``accounts.actions.authenticate``, handed in by ``app``, because accounts stand above web."""

RefuseDeleted = Callable[[UnitOfWork], None]
"""``accounts.actions.refuse_deleted``: raises where the account was deleted after the request had found it."""

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_NOTED_ELSEWHERE = frozenset({"/api/v1/runs/{run_id}/metrics", "/api/v1/runs/{run_id}/rollouts"})
"""A trainer sends these with every step. Their rows say whose they are and when they came."""

_ENDS_ACCOUNT = frozenset({"/api/v1/account/deletion", "/account/deletion"})

bearer = HTTPBearer(
    auto_error=False, description="A token: `verihub_pat_…`, from `POST /api/v1/login` or the account page."
)


def get_services(connection: HTTPConnection) -> Services:
    """The hub's services."""
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services


def get_credentials(connection: HTTPConnection) -> Credentials:
    """The bearer token, else the session's cookie."""
    if token := bearer_token(connection.headers):
        return Credentials(token=token)
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
        work = authenticated(UnitOfWork(session, services), connection, credentials)
        yield work
        _note_act(work, connection)


def authenticated(work: UnitOfWork, connection: HTTPConnection, credentials: Credentials) -> UnitOfWork:
    """``work`` with its caller, seeing what the caller may see."""
    authenticate: Authenticate = connection.app.state.authenticate
    caller = authenticate(work, credentials)
    see_as(work.session, EVERYBODY if caller is None else Viewer(caller.sees, only_package=caller.only_package))
    return replace(work, caller=caller)


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
    def writing(self, *, is_act: bool = True) -> Iterator[UnitOfWork]:
        """One that writes: it commits at the end of the block, and rolls back on a raise.

        ``is_act``: whether it makes the change that the request asks for, and not only counts or prepares.
        """
        with self.services.database.writing() as session:
            work = authenticated(UnitOfWork(session, self.services), self.connection, self.credentials)
            yield work
            if is_act:
                _note_act(work, self.connection)

    def having_shown(self, factor: ProvenFactor | None) -> "Transactions":
        """The same, of a caller who has shown its second factor with this request."""
        return replace(self, credentials=replace(self.credentials, factor=factor))

    def in_session(self, secret: str) -> "Transactions":
        """The same, of a caller whose session has another secret by now."""
        return replace(self, credentials=replace(self.credentials, session_secret=secret))


def get_transactions(connection: HTTPConnection, services: ServicesDep, credentials: CredentialsDep) -> Transactions:
    """The request's :class:`Transactions`. None is opened yet."""
    return Transactions(connection, services, credentials)


TransactionsDep = Annotated[Transactions, Depends(get_transactions)]


def _note_act(work: UnitOfWork, connection: HTTPConnection) -> None:
    """Write down what the request has done, in its transaction, when an account sent it."""
    route = connection.scope.get("route")
    path = getattr(route, "path", "")
    if work.caller is None or connection.scope.get("method") not in _WRITES or path in _NOTED_ELSEWHERE:
        return
    act = getattr(route, "summary", None) or str(getattr(route, "name", "")).replace("_", " ").capitalize()
    by = "session" if work.caller.by_session else "token"
    activity.note(work.session, work.now, work.caller.account_id, act, target=quote(connection.url.path), by=by)
    if not work.services.database.is_sqlite and path not in _ENDS_ACCOUNT:  # SQLite has one writer at a time
        work.session.flush()  # from now on the new row holds the account, and whoever deletes it waits
        refuse_deleted: RefuseDeleted = connection.app.state.refuse_deleted
        refuse_deleted(work)


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
