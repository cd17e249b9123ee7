"""A host as people write it: which family its address is of, how it stands in a URL, and listening there."""

import ipaddress
import socket


def is_ipv6(host: str) -> bool:
    """Whether ``host`` is an IPv6 address, without brackets and perhaps with a zone; a name is none."""
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def family_of(host: str) -> socket.AddressFamily:
    """The family of a socket that listens at ``host``. A name is looked up among IPv4 addresses."""
    return socket.AF_INET6 if is_ipv6(host) else socket.AF_INET


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on, so that its address can be used at once. Raises ``OSError``.

    A port that was left a moment ago is taken again.
    """
    listener = socket.socket(family_of(host), socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def in_url(host: str) -> str:
    """``host`` as it stands in a URL: an IPv6 address has brackets there, so that its colons are not a port's."""
    return f"[{host}]" if is_ipv6(host) else host
