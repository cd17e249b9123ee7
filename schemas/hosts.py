"""A host as people write it: which family its address is of, and how it stands in a URL."""

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


def in_url(host: str) -> str:
    """``host`` as it stands in a URL: an IPv6 address has brackets there, so that its colons are not a port's."""
    return f"[{host}]" if is_ipv6(host) else host
