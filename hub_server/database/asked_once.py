"""Reads a row once for a page that needs it many times.

A page calls several actions, and each finds its package and release itself. In a read-only transaction all of them find
the same row, so only the first one asks the database.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from hub_server.database.visibility import MAY_WRITE, viewer_of

Found = TypeVar("Found")
_FOUND = "found"


def ask_once(session: Session, key: tuple[Hashable, ...], ask: Callable[[], Found]) -> Found:
    """What ``ask`` finds; remembered for this viewer until the transaction ends, unless it may write."""
    if session.info.get(MAY_WRITE):
        return ask()
    found: dict[Any, Any] = session.info.setdefault(_FOUND, {})
    whose = (viewer_of(session), *key)
    if whose not in found:
        found[whose] = ask()
    answer: Found = found[whose]
    return answer
