"""Packages whose name is near one that somebody typed."""

import difflib

from hub_server.ports.search_index import SearchIndex
from schemas.names import MAX_PACKAGE_ID

MOST_COMPARED = 300
"""Names that are compared with a mistyped one. It costs 13 ms of CPU for names of twenty letters and 170 ms for the
longest that there can be, ten times as much for ten times as many, and anybody may ask.
"""


def nearest_packages(index: SearchIndex, text: str, count: int) -> list[str]:
    """Ids of public packages whose name is near ``text``, nearest first, as the index knows them.

    Compared are at most ``MOST_COMPARED`` names that the index holds for alike, so that the cost does not grow with the
    hub. No database is asked.
    """
    wanted = text.strip().lower()[:MAX_PACKAGE_ID]
    if not wanted:
        return []
    ids = sorted(index.near(wanted, MOST_COMPARED))
    by_name: dict[str, list[str]] = {}
    for identifier in ids:
        by_name.setdefault(identifier.split("/")[1], []).append(identifier)
    whole = difflib.get_close_matches(wanted, ids, n=count, cutoff=0.6)
    typed = wanted.rpartition("/")[2]
    names = difflib.get_close_matches(typed, list(by_name), n=count, cutoff=0.6)
    return list(dict.fromkeys([*whole, *(identifier for name in names for identifier in by_name[name])]))[:count]
