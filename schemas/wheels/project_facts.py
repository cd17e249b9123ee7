"""Whose a package is and where to read more of it: authors and links, as METADATA says them.

All of it is a stranger's word. What is out of bounds is left out, so that a package that was fine before stays fine.
"""

import re
from collections.abc import Iterable
from email.utils import getaddresses
from urllib.parse import urlsplit

from schemas.package import ProjectLink

MOST_AUTHORS = 20  # chosen: a page lists all of them
MOST_LINKS = 12  # chosen: a page lists all of them
MOST_NAME_CHARACTERS = 80
MOST_LABEL_CHARACTERS = 32
MOST_URL_CHARACTERS = 500
_SCHEMES = ("http", "https")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\\\"<>^`{|}]")


def read_authors(names: Iterable[str | None], addresses: Iterable[str | None]) -> tuple[str, ...]:
    """Names of people, each once, in order. E-mail addresses are dropped.

    ``names``: the fields ``Author`` and ``Maintainer``, whose names commas part. ``addresses``: ``Author-email`` and
    ``Maintainer-email``, such as ``Ada <ada@example.org>, Bo <bo@example.org>``.
    """
    found = [name for text in names if text for name in text.split(",")]
    found += [name for text in addresses if text for name, _ in getaddresses([text])]
    plain = (" ".join(name.split()) for name in found)
    kept = dict.fromkeys(name for name in plain if name and "@" not in name and len(name) <= MOST_NAME_CHARACTERS)
    return tuple(kept)[:MOST_AUTHORS]


def read_links(urls: Iterable[tuple[str, str]]) -> tuple[ProjectLink, ...]:
    """(label, URL) as links, in order. Only whole http and https addresses without a password in them are kept."""
    found: dict[str, ProjectLink] = {}
    for label, url in urls:
        plain = " ".join(label.split())[:MOST_LABEL_CHARACTERS]
        if plain and is_link(url):
            found.setdefault(url, ProjectLink(label=plain, url=url))
    return tuple(found.values())[:MOST_LINKS]


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
    return parts.scheme in _SCHEMES and bool(host) and "@" not in parts.netloc
