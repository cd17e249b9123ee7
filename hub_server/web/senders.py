"""Who sends a request, for rate limits: the account of a checked credential, else a network address."""

import hashlib
import ipaddress
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import anyio
import anyio.to_thread
from cachetools import TTLCache
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import HTTPConnection
from starlette.types import Scope

from hub_server.errors import HubServerError, UnavailableError
from hub_server.kernel.caller import Credentials
from hub_server.web.dependencies import find_caller, get_credentials
from hub_server.web.per_loop import PerLoop

_KEPT_SECONDS = 60.0  # only for counting: every route checks the token itself
_KEPT_CREDENTIALS = 10_000  # chosen: bounds the memory; who is forgotten is looked up again
_LOOKUP_THREADS = 4
_NETWORK_PREFIX = {4: 24, 6: 48}
_IPV4_IN_IPV6 = ipaddress.ip_network("64:ff9b::/96")
"""What a translator makes of IPv4 addresses (RFC 6052). As IPv6, all of them would be one household."""
_IPV6_PREFIX = 64  # one household or one rented machine gets a whole /64, so single addresses count nothing


@dataclass(frozen=True)
class Sender:
    """Whose budget a request uses. ``is_account``: False for an anonymous sender, known by address alone.

    ``is_checked``: False where the database could not say whose credential it is. Such a request counts by its address,
    and what is for accounts only must not tell it to log in.
    """

    key: str
    is_account: bool
    is_checked: bool = True

    @cached_property  # it is asked for again and again while the sender waits for a slot
    def network(self) -> str:
        """The network of an address: a /24, for IPv6 a /48, which one customer may get whole. An account is its own."""
        try:
            address = ipaddress.ip_address(self.key.removeprefix("address:"))
        except ValueError:
            return self.key
        return str(ipaddress.ip_network((address, _NETWORK_PREFIX[address.version]), strict=False))


class Senders:
    """Checks credentials for counting and remembers each good one for a minute.

    Only counting relies on the memory: whether a token is still good is checked again by every route.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._known: TTLCache[str, str] = TTLCache(_KEPT_CREDENTIALS, _KEPT_SECONDS, timer=monotonic)
        self._lock = threading.Lock()
        # Its own threads: full request threads must not delay a refusal.
        self._threads = PerLoop(lambda: anyio.CapacityLimiter(_LOOKUP_THREADS))

    def recall(self, credentials: Credentials) -> Sender | None:
        """The account that was found for these credentials within the last minute."""
        with self._lock:
            account = self._known.get(_label(credentials))
        return Sender(f"account:{account}", is_account=True) if account is not None else None

    async def look_up(self, connection: HTTPConnection, credentials: Credentials) -> Sender | None:
        """The account behind the credentials, from the database; None where there is none.

        Where the database does not answer: the address, as a sender that is not checked.
        """
        find = partial(_account_id, connection, credentials)
        try:
            account = await anyio.to_thread.run_sync(find, limiter=self._threads.get())
        except (SQLAlchemyError, UnavailableError):  # the route says so
            return replace(anonymous_sender(connection.scope), is_checked=False)
        if account is None:
            return None
        with self._lock:
            self._known[_label(credentials)] = account
        return Sender(f"account:{account}", is_account=True)


def credentials_of(scope: Scope) -> Credentials | None:
    """What the request brought, or None where it brought nothing."""
    credentials = get_credentials(HTTPConnection(scope))
    return credentials if credentials.token is not None or credentials.session_secret is not None else None


def anonymous_sender(scope: Scope) -> Sender:
    """The sender by address: a whole /64 for IPv6."""
    client = scope.get("client")
    host = str(client[0]) if client else "unknown"
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return Sender(f"address:{host}", is_account=False)
    if isinstance(address, ipaddress.IPv6Address):
        address = _ipv4_of(address) or ipaddress.ip_network((address, _IPV6_PREFIX), strict=False).network_address
    return Sender(f"address:{address}", is_account=False)


def _ipv4_of(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that is written as an IPv6 one, if it is."""
    if address in _IPV4_IN_IPV6:
        return ipaddress.IPv4Address(int(address) % 2**32)
    return address.ipv4_mapped


def sender_of(connection: HTTPConnection) -> Sender:
    """The sender that ``RateLimits`` found for this request."""
    found = connection.scope.get("state", {}).get("sender")
    return found if isinstance(found, Sender) else anonymous_sender(connection.scope)


def _account_id(connection: HTTPConnection, credentials: Credentials) -> str | None:
    try:
        caller = find_caller(connection, credentials)
    except UnavailableError:
        raise
    except HubServerError:  # the route says so; here the sender is anonymous
        return None
    return caller.account_id if caller is not None else None


def _label(credentials: Credentials) -> str:
    secret = credentials.token if credentials.token is not None else f"session {credentials.session_secret}"
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
