"""Which proxy a server is asked through: the one that the environment names, and for TLS alone.

``HTTPS_PROXY``, else ``ALL_PROXY``; not for hosts that ``NO_PROXY`` names (each also in small letters, which win). The
proxy gets a name and a port, and carries what it cannot read. A server without TLS is asked directly: a proxy would
read the token. So is this machine itself.
"""

import ipaddress
import re
from urllib.parse import quote
from urllib.request import getproxies_environment

import httpx

from schemas.hosts import is_ipv6

_SCHEMES = ("http", "https")
_WITH_PORT = re.compile(r"\[?([^\[\]]*?)\]?(?::(\d{1,5}))?")


class ProxySettingError(httpx.ConnectError):
    """The environment names a proxy that cannot be used."""


def proxy_of(scheme: str, host: str, port: int | None) -> httpx.Proxy | None:
    """The proxy for a server; None: it is asked directly. Raises :class:`ProxySettingError`."""
    named = getproxies_environment()
    url = (named.get("https") or named.get("all") or "").strip()
    if scheme != "https" or not url or _is_here(host) or _is_direct(host, port or 443, named.get("no", "")):
        return None
    proxy = _read(url)
    if proxy is None:
        raise ProxySettingError(
            "HTTPS_PROXY or ALL_PROXY names no proxy of the form http://HOST:PORT or https://HOST:PORT (in a password, "
            f"write # / ? @ : and % as %23 %2F %3F %40 %3A %25); correct it, or name {host} in NO_PROXY"
        )
    if is_ipv6(host):  # httpcore would ask for `fd00::1:443`, which is another address
        raise ProxySettingError(
            f"no proxy is asked for the IPv6 address {host}: use the server's name, or name the address in NO_PROXY"
        )
    return proxy


def _read(url: str) -> httpx.Proxy | None:
    """None for what is no proxy. No word of it is repeated anywhere: it may hold a password.

    What follows host and port is refused, since an unquoted ``#``, ``/`` or ``?`` of a password cuts it there, and its
    first half would be taken, and shown, for the port.
    """
    try:
        proxy = httpx.Proxy(url if "://" in url else f"http://{url}")
    except (ValueError, httpx.InvalidURL):
        return None
    found = proxy.url
    is_whole = found.path in ("", "/") and not found.query and not found.fragment
    has_port = found.port is None or 0 < found.port < 65536
    return proxy if found.scheme in _SCHEMES and found.host and is_whole and has_port else None


def proxy_text(url: str) -> str:
    """`` through the proxy HOST:PORT`` for a server at ``url`` that is asked so, without the proxy's password."""
    try:
        parsed = httpx.URL(url)
        proxy = proxy_of(parsed.scheme, parsed.host, parsed.port)
    except (httpx.HTTPError, httpx.InvalidURL):
        return ""
    return f" through the proxy {proxy.url.netloc.decode()}" if proxy is not None else ""


def socket_proxy(url: str) -> str | None:
    """The proxy for a WebSocket at ``url``, with its name and password. Raises :class:`ProxySettingError`."""
    parsed = httpx.URL(url)
    proxy = proxy_of("https" if parsed.scheme == "wss" else "http", parsed.host, parsed.port)
    if proxy is None:
        return None
    if proxy.url.scheme == "https":  # websockets lays no TLS into TLS
        raise ProxySettingError(
            "episodes on the hub go through a proxy http://HOST:PORT alone, and HTTPS_PROXY or ALL_PROXY names one "
            f"with https://; run them on this machine, or name {parsed.host} in NO_PROXY"
        )
    if proxy.auth is None:
        return str(proxy.url)
    # By hand: httpx leaves the colon of an empty password out, and websockets refuses, and shows, what has none.
    name, password = (quote(one, safe="") for one in proxy.auth)
    return f"http://{name}:{password}@{proxy.url.netloc.decode()}"


def _is_direct(host: str, port: int, listed: str) -> bool:
    """Whether ``NO_PROXY`` names a server."""
    host = host.strip("[]").rstrip(".").lower()
    return any(_names(entry, host, port) for entry in re.split(r"[\s,]+", listed.lower()) if entry)


def _names(entry: str, host: str, port: int) -> bool:
    """Whether ``*``, a name (with what lies below it), an address or a network, each with or without a port, fits."""
    name, wanted = entry, None
    if _network(entry) is None and (parts := _WITH_PORT.fullmatch(entry)):
        name, wanted = parts.groups()
    if wanted is not None and int(wanted) != port:
        return False
    if name == "*":
        return True
    if (address := _network(host)) is not None:
        network = _network(name)
        return network is not None and address.network_address in network
    name = name.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.rstrip(".").lower() == "localhost"
