"""Where a webhook may point, as far as the address itself says."""

from urllib.parse import urlsplit


def why_not_url(url: str) -> str:
    """What is wrong with an address as such, in one sentence; empty when nothing is. Nothing is resolved."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "This is no address."
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "An address begins with https:// (or http://) and names a host."
    if parts.username is not None:
        return "An address holds no user name: the signature says that a message is the hub's."
    if parts.fragment:
        return "A fragment (#…) is never sent: leave it out."
    if port is not None and port not in (80, 443) and port < 1024:
        return f"Port {port} is that of another service: use 443, 80, or one from 1024 on."
    return ""
