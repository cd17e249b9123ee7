"""Has rollouts judged by their verifiers, on a thread with its own event loop, while others are still being played."""

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from sandbox.streams import Channel, StreamCutError, StreamLeftError, end_tasks
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from schemas.wording import counted
from trainer_bridge.errors import ScoringError
from trainer_bridge.ports import Verifier
from trainer_bridge.rollout.rollouts import BROKEN, Draw, Rollout

Pair = tuple[dict[str, Any], str | ScoreRequest]
"""A task's row, and what the verifier sees: a response, or a conversation or a session's state."""

_STOP_SECONDS = 20.0  # chosen: calls that are given up end with their boxes


class Scorer:
    """Sends pairs to the ``score_stream`` of verifiers, given by number. A context manager with one round at a time."""

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
        """Cancel the work and stop the thread. A thread that does not stop is left until the process ends."""
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(timeout=_STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=_STOP_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def round(self) -> "ScoringRound":
        """Start a round: submit pairs as they finish; ``verdicts`` then waits for all of them."""
        return ScoringRound(self._verifiers, self._loop, self._warn)

    async def _cancel_all(self) -> None:
        await end_tasks()
        await self._loop.shutdown_default_executor()


class ScoringRound:
    """The samples of one step. If a stream breaks, its remaining samples are unjudged (kind host), never 0.

    Streams run on the scoring thread and share only channels with the trainer's thread. Verdicts are assigned on the
    trainer's thread, so that an error of our own is raised there.
    """

    def __init__(
        self, verifiers: Sequence[Verifier], loop: asyncio.AbstractEventLoop, warn: Callable[[str], None]
    ) -> None:
        self._verifiers, self._loop, self._warn = verifiers, loop, warn
        self._streams: dict[int, _Stream] = {}

    def submit(self, key: int, number: int, draw: Draw, response: str | ScoreRequest) -> None:
        """Send one completion to verifier ``number``. ``key`` identifies it."""
        if number not in self._streams:
            self._streams[number] = _Stream(self._verifiers[number], self._loop)
        self._streams[number].submit(key, draw, response)

    def verdicts(self) -> dict[int, Verdict]:
        """Wait for all verdicts; return them by key."""
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
    """One verifier's samples of a round. Pairs and verdicts go through channels."""

    def __init__(self, verifier: Verifier, loop: asyncio.AbstractEventLoop) -> None:
        self.verifier = verifier
        self.keys: list[int] = []
        # Without a limit: a round is as large as the step, which is in memory anyway.
        self._pairs: Channel[Pair] = Channel()
        self._answers: Channel[tuple[int, Verdict]] = Channel(size=sys.maxsize)
        working = asyncio.run_coroutine_threadsafe(self._score(), loop)
        working.add_done_callback(self._ended)

    def submit(self, key: int, draw: Draw, response: str | ScoreRequest) -> None:
        self.keys.append(key)
        with suppress(StreamLeftError):  # the stream broke: its samples are unjudged, and ``verdicts`` says so
            self._pairs.put((draw.row, response))

    def end(self) -> None:
        self._pairs.close()

    def verdicts(self) -> tuple[dict[int, Verdict], str]:
        """The verdicts by key, and why the stream broke (empty if it did not).

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
            except Exception as error:  # noqa: BLE001 -- whatever failed, its samples are unjudged
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
        """Close the answers however scoring ended, also if it never started."""
        error = None if working.cancelled() else working.exception()
        self._answers.close(error or StreamCutError("the scoring thread has ended"))


def why_unjudged(rollouts: Sequence[Rollout]) -> str:
    """The message for a step without a judged sample: number of each kind of error, the first reason, and what to
    do.
    """
    kinds = Counter(map(_unjudged_kind, rollouts))
    counts = ", ".join(f"{count} x {kind}" for kind, count in kinds.most_common())
    said = next((rollout.verdict.error.message for rollout in rollouts if rollout.verdict.error), "")
    lines = [f"not one of {counted(len(rollouts), 'sample')} could be judged ({counts}), so there is nothing to learn"]
    if said:
        lines.append("  The first says: " + " ".join(said.split())[:400])
    lines.append("  " + _REMEDIES.get(kinds.most_common(1)[0][0], _REMEDIES[_NULL]))
    return "\n".join(lines)


_NULL, _LOST, _BROKEN = "null", "lost with its process", "rollout broken"
_REMEDIES = {
    _LOST: "A process or box of the session or the harness ended in every try. If somebody or the kernel ends them (is "
    "memory short?), go on with --resume; else the author's code ends itself: play it with `verihub eval`.",
    _BROKEN: "The session, a tool or the harness raised, and not the verifier: `verihub check` plays each once.",
    _NULL: "The verifier runs and returns null: try it on one response with `verihub score`, and ask its author.",
    "verifier_failed": "The verifier raised: try it on one response with `verihub score`; fix it, or ask its author.",
    "timeout": "The verifier took too long: its verihub.toml sets the limit, timeout_seconds under [sandbox].",
    "memory": "The verifier ran out of memory: its verihub.toml sets the limit, memory_mb under [sandbox].",
    "output": "The verifier's answer is not what it declares: `verihub check` on its project says what is wrong.",
    "model": "The verifier needs a judge model, and none answered: set VERIHUB_JUDGE_MODEL, or see what failed.",
    "host": "The package could not be run, which is no fault of its code: `verihub doctor` says what is missing here.",
}


def _unjudged_kind(rollout: Rollout) -> str:
    error = rollout.verdict.error
    if error is None:
        return _NULL
    if error.kind is not ErrorKind.VERIFIER_FAILED or not error.message.startswith(BROKEN):
        return error.kind.value
    return _LOST if rollout.lost else _BROKEN
