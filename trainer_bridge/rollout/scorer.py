"""Sends completions to verifiers while the decoder is still running: scoring on a thread with its own event loop."""

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from sandbox.streams import Channel, StreamCutError, StreamLeftError, end_tasks
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from trainer_bridge.errors import ScoringError
from trainer_bridge.ports import Verifier
from trainer_bridge.rollout.task_stream import Draw

Pair = tuple[dict[str, Any], str | ScoreRequest]
"""A task's row, and a response or what else the verifier is to see: a conversation, a session's state."""

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
        await end_tasks()
        await self._loop.shutdown_default_executor()


class ScoringRound:
    """One step's samples. A stream that breaks leaves its unanswered samples unjudged (kind host), never at 0.

    Streams run on the scoring thread and share no state with it but their channels: verdicts are put in their places
    on the trainer's thread, so that an error of our own is raised there and nobody waits for it in vain.
    """

    def __init__(
        self, verifiers: Sequence[Verifier], loop: asyncio.AbstractEventLoop, warn: Callable[[str], None]
    ) -> None:
        self._verifiers, self._loop, self._warn = verifiers, loop, warn
        self._streams: dict[int, _Stream] = {}

    def submit(self, key: int, number: int, draw: Draw, response: str | ScoreRequest) -> None:
        """Send one completion to verifier ``number``, under a ``key`` of its own."""
        if number not in self._streams:
            self._streams[number] = _Stream(self._verifiers[number], self._loop)
        self._streams[number].submit(key, draw, response)

    def verdicts(self) -> dict[int, Verdict]:
        """Every verdict by key, when the last is in."""
        for stream in self._streams.values():
            stream.end()
        found: dict[int, Verdict] = {}
        for stream in self._streams.values():
            verdicts, reason = stream.verdicts()
            if reason:
                self._warn(f"scoring with {stream.verifier.manifest.id} broke off: {reason}")
            for key in stream.keys:
                found[key] = verdicts.get(key) or Verdict.unjudged(
                    list(stream.verifier.rewards),
                    ErrorKind.HOST,
                    reason or "the scoring stream ended without this verdict",
                )
        return found


class _Stream:
    """One verifier's samples of a round: pairs go out and verdicts come back through channels."""

    def __init__(self, verifier: Verifier, loop: asyncio.AbstractEventLoop) -> None:
        self.verifier = verifier
        self.keys: list[int] = []
        # Nothing waits for room: a round is as large as the step, and is held in memory anyway.
        self._pairs: Channel[Pair] = Channel()
        self._answers: Channel[tuple[int, Verdict]] = Channel(size=sys.maxsize)
        working = asyncio.run_coroutine_threadsafe(self._score(), loop)
        working.add_done_callback(self._ended)

    def submit(self, key: int, draw: Draw, response: str | ScoreRequest) -> None:
        self.keys.append(key)
        with suppress(StreamLeftError):  # the stream broke off: its samples are unjudged, and ``verdicts`` says so
            self._pairs.put((draw.row, response))

    def end(self) -> None:
        self._pairs.close()

    def verdicts(self) -> tuple[dict[int, Verdict], str]:
        """The verdicts that came, by key, and why the stream broke off (empty when it did not).

        Raises:
            ScoringError: an answer belongs to no sample of this round.

        """
        found: dict[int, Verdict] = {}
        answers = iter(self._answers)
        while True:
            try:
                index, verdict = next(answers)
            except StopIteration:
                return found, ""
            except Exception as error:  # noqa: BLE001 -- whatever broke there, its samples are unjudged; training decides
                return found, f"{type(error).__name__}: {error}"
            if not 0 <= index < len(self.keys) or self.keys[index] in found:
                raise ScoringError(f"{self.verifier.manifest.id} answered sample {index} twice, or never got it")
            found[self.keys[index]] = verdict

    async def _score(self) -> None:
        try:
            await self._answers.fill(self.verifier.score_stream(aiter(self._pairs)))
        finally:
            self._pairs.leave()

    def _ended(self, working: Future[None]) -> None:
        """However scoring ended, also before it began, whoever reads the answers is told."""
        error = None if working.cancelled() else working.exception()
        self._answers.close(error or StreamCutError("the scoring thread has ended"))
