"""Calls that arrive one by one, judged together: a sample asked for alone need not cost a stream of its own."""

import asyncio

from hub_client.environments import Pair, Verifier
from schemas.verdict import ErrorKind, Verdict

_WAIT_SECONDS = 0.005


async def judge_together(verifier: Verifier, pair: Pair) -> Verdict:
    """The verdict on one pair, judged with whatever else this event loop asks of ``verifier`` at the time."""
    known = _GATHERINGS.get(id(verifier))
    if known is None or known.loop is not asyncio.get_running_loop():
        known = _GATHERINGS[id(verifier)] = _Gathering(verifier)
    verdict = await known.judge(pair)
    lost = "the sandbox ended without this verdict"
    return verdict or Verdict.unjudged(list(verifier.rewards), ErrorKind.HOST, lost)


class _Gathering:
    """Asks within five milliseconds of the first go into one stream; each is answered as soon as it is judged."""

    def __init__(self, verifier: Verifier) -> None:
        self.loop = asyncio.get_running_loop()
        self._verifier = verifier
        self._waiting: list[tuple[Pair, asyncio.Future[Verdict | None]]] = []
        self._running: set[asyncio.Task[None]] = set()

    async def judge(self, pair: Pair) -> Verdict | None:
        """None where the stream ended without a verdict. Raises what the stream raises."""
        answer: asyncio.Future[Verdict | None] = self.loop.create_future()
        self._waiting.append((pair, answer))
        if len(self._waiting) == 1:
            self.loop.call_later(_WAIT_SECONDS, self._start)
        return await answer

    def _start(self) -> None:
        batch, self._waiting = self._waiting, []
        task = self.loop.create_task(self._run(batch))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, batch: list[tuple[Pair, "asyncio.Future[Verdict | None]"]]) -> None:
        answers = [answer for _, answer in batch]
        try:
            async for index, verdict in self._verifier.score_stream([pair for pair, _ in batch]):
                if not answers[index].done():
                    answers[index].set_result(verdict)
        except Exception as error:  # noqa: BLE001 -- whoever asked gets it
            for answer in answers:
                if not answer.done():
                    answer.set_exception(error)
        finally:
            for answer in answers:
                if not answer.done():
                    answer.set_result(None)


_GATHERINGS: dict[int, _Gathering] = {}
"""By the verifier's id; each holds its verifier, so that an id is not given twice."""
