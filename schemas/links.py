"""Which addresses that strangers write may be shown as links."""

import re
from urllib.parse import urlsplit

MOST_URL_CHARACTERS = 500
_SCHEMES = ("http", "https")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\\\"<>^`{|}]")
_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]+")
"""Pages show a link's host beside it. Browsers read other letters otherwise than Python does: they undo percent signs,
and fold letters into others. A name in another script is written as in the DNS: ``xn--…``.
"""


def is_link(url: str) -> bool:
    """Whether ``url`` may be shown as a link: whole, http or https, nothing in it that a reader cannot see."""
    if len(url) > MOST_URL_CHARACTERS or _UNSEEN.search(url):
        return False
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    # What stands before an @ looks like the host: https://github.com@elsewhere.example
    return parts.scheme in _SCHEMES and bool(host and _HOST.fullmatch(host)) and parts.username is None
