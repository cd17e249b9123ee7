"""Reads a list of the hub to its end, page by page."""

from collections.abc import Callable
from typing import TypeVar

from hub_client.errors import HubUnreachableError
from schemas.page import Page

Item = TypeVar("Item")

MOST_PAGES = 2000
"""More pages than any list of a hub has. A hub that sends more is faulty or malicious, and would fill the memory."""


def all_items(ask: Callable[[str | None], Page[Item]]) -> list[Item]:
    """Every item of a list. ``ask`` fetches the page behind a cursor; None is the first page.

    Raises :class:`HubUnreachableError` for a list without end: more than ``MOST_PAGES``, or the same cursor twice.
    """
    found: list[Item] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        page = ask(cursor)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found
        if cursor in seen:
            break
        seen.add(cursor)
    raise HubUnreachableError(f"the hub's list has no end ({len(found)} entries so far): tell whoever runs the hub")
