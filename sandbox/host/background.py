"""Runs work that nobody awaits. A reference is kept until it ends, and an error in it is logged."""

import asyncio
import logging
from collections.abc import Awaitable

_tasks: set["asyncio.Future[None]"] = set()
_log = logging.getLogger(__name__)


def background(work: Awaitable[None]) -> None:
    """Run ``work`` as a task, and keep a reference to it until it ends."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_ended)


def _ended(task: "asyncio.Future[None]") -> None:
    _tasks.discard(task)
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.error("work in the background failed", exc_info=error)
