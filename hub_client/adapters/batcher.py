"""Micro-batching: calls that arrive one by one within a few milliseconds are judged as one stream."""

import asyncio
from weakref import WeakKeyDictionary

from hub_client.environments import Pair, Verifier
from schemas.verdict import ErrorKind, Verdict

_WAIT_SECONDS = 0.005  # frameworks ask for one sample after another; so those of a group are judged together


async def judge_together(verifier: Verifier, pair: Pair) -> Verdict:
    """The verdict on one pair. It is judged together with other pairs that this event loop has for ``verifier`` now."""
    batcher = _BATCHERS.get(verifier)
    if batcher is None or batcher.loop is not asyncio.get_running_loop():
        batcher = _BATCHERS[verifier] = _Batcher()
    verdict = await batcher.judge(verifier, pair)
    lost = "the sandbox ended without this verdict"
    return verdict or Verdict.unjudged(list(verifier.rewards), ErrorKind.HOST, lost)


class _Batcher:
    """Calls within five milliseconds of the first become one stream; each is answered as soon as it is judged."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._waiting: list[tuple[Pair, asyncio.Future[Verdict | None]]] = []
        self._running: set[asyncio.Task[None]] = set()

    async def judge(self, verifier: Verifier, pair: Pair) -> Verdict | None:
        """The verdict, or None if the stream ended without one. Raises the stream's errors."""
        answer: asyncio.Future[Verdict | None] = self.loop.create_future()
        self._waiting.append((pair, answer))
        if len(self._waiting) == 1:
            self.loop.call_later(_WAIT_SECONDS, self._start, verifier)
        return await answer

    def _start(self, verifier: Verifier) -> None:
        batch, self._waiting = self._waiting, []
        task = self.loop.create_task(_judge_batch(verifier, batch))
        self._running.add(task)  # the event loop holds tasks only weakly
        task.add_done_callback(self._running.discard)


async def _judge_batch(verifier: Verifier, batch: list[tuple[Pair, "asyncio.Future[Verdict | None]"]]) -> None:
    answers = [answer for _, answer in batch]
    try:
        async for index, verdict in verifier.score_stream([pair for pair, _ in batch]):
            if not answers[index].done():
                answers[index].set_result(verdict)
    except Exception as error:  # noqa: BLE001 -- raised in the callers that wait
        for answer in answers:
            if not answer.done():
                answer.set_exception(error)
    finally:
        for answer in answers:
            if not answer.done():
                answer.set_result(None)


# Weak, so that a batcher is freed together with its verifier.
_BATCHERS: "WeakKeyDictionary[Verifier, _Batcher]" = WeakKeyDictionary()
