"""Whose a package is and where to read more of it: authors and links, as METADATA says them.

All of it is a stranger's word. What is out of bounds is left out, so that a package that was fine before stays fine.
"""

from collections.abc import Iterable
from email.utils import getaddresses

from schemas.emails import holds_email
from schemas.links import is_link
from schemas.package import ProjectLink

MOST_AUTHORS = 20  # chosen: a page lists all of them
MOST_LINKS = 12  # chosen: a page lists all of them
MOST_NAME_CHARACTERS = 80
MOST_LABEL_CHARACTERS = 32


def read_authors(names: Iterable[str | None], addresses: Iterable[str | None]) -> tuple[str, ...]:
    """Names of people, each once, in order. E-mail addresses are dropped.

    ``names``: the fields ``Author`` and ``Maintainer``, whose names commas part. ``addresses``: ``Author-email`` and
    ``Maintainer-email``, such as ``Ada <ada@example.org>, Bo <bo@example.org>``.
    """
    found = [name for text in names if text for name in text.split(",")]
    found += [name for text in addresses if text for name, _ in getaddresses([text])]
    plain = (" ".join(name.split()) for name in found)
    kept = dict.fromkeys(name for name in plain if name and not holds_email(name) and len(name) <= MOST_NAME_CHARACTERS)
    return tuple(kept)[:MOST_AUTHORS]


def read_links(urls: Iterable[tuple[str, str]]) -> tuple[ProjectLink, ...]:
    """(label, URL) as links, in order. Only whole http and https addresses without a password in them are kept."""
    found: dict[str, ProjectLink] = {}
    for label, url in urls:
        plain = " ".join(label.split())[:MOST_LABEL_CHARACTERS]
        if plain and is_link(url):
            found.setdefault(url, ProjectLink(label=plain, url=url))
    return tuple(found.values())[:MOST_LINKS]
