"""Ends what waits for a box that cannot come, because the sandbox's engine has fallen silent meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_left: set["asyncio.Future[Any]"] = set()
"""What was given up, until it has ended: an engine that hangs holds it up."""


async def unless_silent(
    made: Coroutine[Any, Any, _Result],
    *,
    has_box: Callable[[], bool],
    see_engine: Callable[[], Awaitable[None]],
    every_seconds: float,
) -> _Result:
    """What ``made`` gives. Each time that it has taken ``every_seconds`` more without a box, the engine is looked at.

    ``see_engine`` raises where it is silent; ``made`` is cancelled then and not waited for. Whoever has a box waits for
    that: boxes answer without their engine.
    """
    working = asyncio.ensure_future(made)
    try:
        while not working.done():
            await asyncio.wait([working], timeout=every_seconds)
            if not working.done() and not has_box():
                await _seen(see_engine, working)
    except BaseException:
        _give_up(working)
        raise
    return working.result()


async def _seen(see_engine: Callable[[], Awaitable[None]], working: "asyncio.Future[Any]") -> None:
    """Look at the engine, but no longer than ``working`` takes."""
    looking = asyncio.ensure_future(see_engine())
    try:
        await asyncio.wait([looking, working], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            looking.result()
    finally:
        _give_up(looking)


def _give_up(task: "asyncio.Future[Any]") -> None:
    task.cancel()
    _left.add(task)
    task.add_done_callback(_ended)


def _ended(task: "asyncio.Future[Any]") -> None:
    _left.discard(task)
    if not task.cancelled():
        task.exception()  # nobody waits for it any more
