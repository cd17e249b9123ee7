"""Completions to verdicts while the decoder is still busy: scoring on a thread with its own event loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.stream import Draw, Verifier

_END = None
_STOP_SECONDS = 20.0


class Scorer:
    """Sends pairs to verifiers' ``score_stream``, by number. A context manager; rounds are opened one at a time."""

    def __init__(self, verifiers: Sequence[Verifier], warn: Callable[[str], None]) -> None:
        self._verifiers, self._warn = verifiers, warn
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="verihub-scoring", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel what is in flight and stop the thread; one that will not stop is left to the process's end."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(timeout=_STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=_STOP_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def round(self) -> "ScoringRound":
        """Begin a round: submit pairs as they finish, then ``verdicts`` waits for the last."""
        return ScoringRound(self._verifiers, self._loop, self._warn)

    async def _cancel_all(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()


class ScoringRound:
    """One step's samples. A stream that breaks leaves its unanswered samples unjudged (kind host), never at 0."""

    def __init__(
        self, verifiers: Sequence[Verifier], loop: asyncio.AbstractEventLoop, warn: Callable[[str], None]
    ) -> None:
        self._verifiers, self._loop, self._warn = verifiers, loop, warn
        self._queues: dict[int, asyncio.Queue[Any]] = {}
        self._streams: dict[int, Future[None]] = {}
        self._sent: dict[int, list[int]] = {}
        self._verdicts: dict[int, Verdict] = {}

    def submit(self, key: int, number: int, draw: Draw, response: str) -> None:
        """Send one completion to verifier ``number``, under a ``key`` of its own."""
        if number not in self._queues:
            self._queues[number] = asyncio.Queue()
            self._sent[number] = []
            self._streams[number] = asyncio.run_coroutine_threadsafe(self._consume(number), self._loop)
        self._sent[number].append(key)
        self._loop.call_soon_threadsafe(self._queues[number].put_nowait, (draw.row, response))

    def verdicts(self) -> dict[int, Verdict]:
        """Every verdict by key, when the last is in."""
        for queue in self._queues.values():
            self._loop.call_soon_threadsafe(queue.put_nowait, _END)
        for number, stream in self._streams.items():
            try:
                stream.result()
            except Exception as error:  # noqa: BLE001 -- whatever broke, its samples are unjudged and training decides
                self._warn(f"scoring with {self._verifiers[number].manifest.id} broke off: {error}")
                self._fill(number, repr(error))
            self._fill(number, "the scoring stream ended without this verdict")
        return self._verdicts

    def _fill(self, number: int, reason: str) -> None:
        names = list(self._verifiers[number].rewards)
        for key in self._sent[number]:
            if key not in self._verdicts:
                self._verdicts[key] = Verdict.unjudged(names, ErrorKind.HOST, reason)

    async def _consume(self, number: int) -> None:
        async for index, verdict in self._verifiers[number].score_stream(self._pairs(number)):
            self._verdicts[self._sent[number][index]] = verdict

    async def _pairs(self, number: int) -> AsyncIterator[tuple[dict[str, Any], str]]:
        while (pair := await self._queues[number].get()) is not _END:
            yield pair
