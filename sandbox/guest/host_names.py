"""The told host name where names are looked up, for code that asks for its own address.

Without this, honest code breaks where a box says another host name: ``bind((socket.gethostname(), 0))``, as Python's
own how-to writes it, finds no such host.
"""

import _socket
import socket
from collections.abc import Callable
from typing import Any

from sandbox.guest.told import Told, set_on_type

_LOOK_UP = ("gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getnameinfo")


def tell(host: str) -> None:
    """``socket`` says that this machine's name is ``host``, and finds the machine by it."""
    real = socket.gethostname()

    def there(value: Any) -> Any:
        """What the system knows: the real name for the told one, also in an address."""
        if isinstance(value, tuple):
            return tuple(there(one) for one in value)
        return real if value == host else value

    def told(value: Any) -> Any:
        """The told name for the real one, in whatever was found."""
        if isinstance(value, list | tuple):
            return type(value)(told(one) for one in value)
        return host if value == real else value

    Told(_socket, "gethostname", lambda: host)
    for name in _LOOK_UP:
        Told(_socket, name, _looking(getattr(_socket, name), there, told))
    for name in ("gethostname", *_LOOK_UP):
        setattr(socket, name, getattr(_socket, name))
    found = socket.getaddrinfo

    def getaddrinfo(host: Any, *given: Any, **named: Any) -> Any:
        return told(found(there(host), *given, **named))

    getaddrinfo.__module__, getaddrinfo.__qualname__ = socket.__name__, "getaddrinfo"
    socket.getaddrinfo = getaddrinfo
    for name in ("bind", "connect", "connect_ex"):
        set_on_type(_socket.socket, name, _addressing(getattr(_socket.socket, name), there))


def _looking(
    function: Callable[..., Any], there: Callable[[Any], Any], told: Callable[[Any], Any]
) -> Callable[..., Any]:
    return lambda *given: told(function(*(there(one) for one in given)))


def _addressing(function: Callable[..., Any], there: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self, address: function(self, there(address))
