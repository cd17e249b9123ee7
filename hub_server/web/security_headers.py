"""The headers that protect browsers. A route may set its own instead, as those that send strangers' bytes do."""

from starlette.datastructures import MutableHeaders

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_ON_ALL = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_ONLY_TLS = "max-age=31536000"
"""Who has reached the hub by TLS comes by TLS for a year. Not for subdomains: they may be somebody else's."""


def set_security_headers(headers: MutableHeaders, *, is_tls: bool) -> None:
    """Set what the answer does not have yet."""
    for name, value in _ON_ALL.items():
        headers.setdefault(name, value)
    if is_tls:
        headers.setdefault("Strict-Transport-Security", _ONLY_TLS)
