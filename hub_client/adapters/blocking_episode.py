"""Episodes for frameworks that call environments without ``await``. One event loop of this process runs all of them."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cached_property
from typing import Any, TypeVar

from hub_client.adapters.episodes import Episode, Turn
from hub_client.environments import Environment
from schemas.verdict import Verdict

_Result = TypeVar("_Result")


class _Loop:
    """A thread with an event loop, begun at first use; it ends with the process."""

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, name="verihub-episodes", daemon=True).start()
        return loop

    def wait(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """The result of ``work``; raises what it raises."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


_LOOP = _Loop()


class BlockingEpisode:
    """:class:`~hub_client.adapters.episodes.Episode` without ``await``; its methods may be called from any thread."""

    def __init__(self, env: Environment, task: dict[str, Any], *, seed: int = 0) -> None:
        self.inner = Episode(env, task, seed=seed)

    def start(self) -> Turn:
        """As :meth:`Episode.start`."""
        return _LOOP.wait(self.inner.start())

    def say(self, message: dict[str, Any]) -> Turn:
        """As :meth:`Episode.say`."""
        return _LOOP.wait(self.inner.say(message))

    def verdict(self) -> Verdict:
        """As :meth:`Episode.verdict`."""
        return _LOOP.wait(self.inner.verdict())

    def close(self) -> None:
        """As :meth:`Episode.close`."""
        _LOOP.wait(self.inner.close())


def words_of(messages: list[dict[str, Any]]) -> str:
    """The text of the environment's messages, one paragraph for each."""
    texts = [message.get("content") for message in messages]
    return "\n\n".join(text if isinstance(text, str) else str(text) for text in texts if text)
