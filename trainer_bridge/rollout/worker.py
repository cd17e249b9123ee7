"""Plays tasks to judged groups of rollouts.

A harness plays many rollouts at once with one engine. Each rollout is judged as soon as it ends.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import torch

from hub_client.environments import Environment
from hub_client.errors import HubUnreachableError, PolicyError
from hub_client.evaluation.attempt import HarnessFailedError
from hub_client.evaluation.harness import Harness
from hub_client.evaluation.lost_attempts import Outage, Tries, is_away
from hub_client.transport.chat_endpoint import ContextOverflowError
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.ports import Progress
from trainer_bridge.ranks import Ranks
from trainer_bridge.rollout.chat import ChatModel, Conversations, Message, ModelCall, TokenLimits
from trainer_bridge.rollout.decoding.requests import Generated, GenerationEngine, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.rollouts import BROKEN, Draw, PlayedRollout, Rollout, judged_rollout
from trainer_bridge.rollout.scorer import Scorer, ScoringRound

Result = TypeVar("Result")
_TURNS_TO_GO_ON = 4  # of the event loop: the last of several calls', the gatherer's, the rollout's, and one more


class LiveEngine:
    """Steps the engine on the thread that also runs the rollouts' coroutines. Blocking calls run on other threads.

    A rollout blocks one thread, and a second while its session is closed after it was given up: there are two for each.

    ``lockstep``: nothing is generated while any rollout is with its environment. So which tokens are computed together
    depends on the rollouts alone and not on how fast an environment answers, and log-probabilities repeat to the bit.
    """

    def __init__(self, engine: GenerationEngine, most: int, *, lockstep: bool = False) -> None:
        self._engine, self._most, self._lockstep = engine, most, lockstep
        self._away = 0  # how many blocking calls run now
        self._has_returned = True  # a call or a rollout, after which another may not have gone on yet
        self._arrived: list[GenerationRequest] = []
        self._threads: ThreadPoolExecutor | None = None
        self._woken = asyncio.Event()
        self._answers: dict[GenerationRequest, asyncio.Future[Generated]] = {}
        self.idle_seconds = 0.0  # in which nothing was generated, as every live rollout waited for its environment

    async def write(self, request: GenerationRequest) -> Generated:
        """Wait for the engine's answer to ``request``."""
        answer: asyncio.Future[Generated] = asyncio.get_running_loop().create_future()
        self._answers[request] = answer
        self._arrived.append(request)
        self._woken.set()
        return await answer

    async def wait(self, blocking: Callable[[], Result]) -> Result:
        """Run a blocking function on another thread."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(2 * self._most, "verihub-environment")
        self._away += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, blocking)
        finally:
            self._away -= 1
            self._has_returned = True
            self._woken.set()

    async def run_all(self, rollouts: Sequence[Coroutine[Any, Any, None]]) -> None:
        """Run the coroutines in order, with a limit of how many run at once. An error ends all."""
        places = asyncio.Semaphore(self._most)

        async def in_turn(rollout: Coroutine[Any, Any, None]) -> None:
            try:
                async with places:
                    await rollout
            finally:
                rollout.close()
                self._has_returned = True
                self._woken.set()

        tasks = [asyncio.create_task(in_turn(rollout)) for rollout in rollouts]
        try:
            while not all(task.done() for task in tasks):
                await asyncio.sleep(0)  # let all rollouts run until each of them needs the engine again
                for task in tasks:
                    if task.done():
                        task.result()
                await self._go_on()
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._threads is not None:
                self._threads.shutdown(wait=False, cancel_futures=True)

    async def _go_on(self) -> None:
        while self._lockstep and self._has_returned:  # also while others are let go on
            self._has_returned = False
            for _ in range(_TURNS_TO_GO_ON):
                await asyncio.sleep(0)
        is_held = self._lockstep and self._away > 0
        if not is_held:
            for request in sorted(self._arrived, key=lambda one: one.seed):  # threads come back in any order
                self._engine.submit(request)
            self._arrived.clear()
        if self._engine.is_busy and not is_held:
            for request, generated in self._engine.step():
                answer = self._answers.pop(request, None)  # None: it belongs to a round that was stopped
                if answer is not None and not answer.done():
                    answer.set_result(generated)
                    self._has_returned = True
            return
        start = time.perf_counter()
        await self._woken.wait()
        self._woken.clear()
        self.idle_seconds += time.perf_counter() - start


class RolloutPolicy:
    """The policy of one rollout. It records every model call token by token."""

    def __init__(
        self, live: LiveEngine, model: ChatModel, *, sampling: Sampling, limits: TokenLimits, turns: int, seed: int
    ) -> None:
        self._live, self._model = live, model
        self._sampling, self._limits, self._turns, self._seed = sampling, limits, turns, seed
        self._known = Conversations()
        self._asked: list[ModelCall | None] = []  # in the order in which a harness made them; None: is being written

    @property
    def calls(self) -> list[ModelCall]:
        """The calls that were answered."""
        return [call for call in self._asked if call is not None]

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Message], *, seed: int, stop: Sequence[str] = ()
    ) -> Message:
        """The assistant's next message; see :class:`~hub_client.transport.chat_endpoint.Policy`.

        Raises:
            ContextOverflowError: the limit of turns or tokens is reached. The rollout ends and is judged as it is.

        """
        del seed  # the environment's seed, which all samples of a task share
        number = len(self._asked)
        if self._turns and number >= self._turns:
            raise ContextOverflowError(f"the rollout has had its {self._turns} turns")
        seed = self._seed + number
        request = self._model.request_for(
            self._known, messages, tools, sampling=self._sampling, limits=self._limits, seed=seed, stop=stop
        )
        self._asked.append(None)  # before it waits: other calls of this rollout may be answered earlier
        generated = await self._live.write(request)
        call = self._model.call(request, generated, has_tools=bool(tools))
        self._known.remember(messages, tools, call)
        self._asked[number] = call
        return {**call.message, "finish_reason": "length" if generated.truncated else "stop"}


def run_in_loop(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a new event loop, also if this thread already runs one, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # no loop runs in this thread
        return asyncio.run(coroutine)
    found: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            found.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001 -- raised again in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=work, name="verihub-rollouts")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return found[0]


class StoppableRuns:
    """Like :func:`run_in_loop`, but another thread can stop it. One run at a time."""

    def __init__(self) -> None:
        self._cancel: Callable[[], object] | None = None
        self._is_stopped = False

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine. Raises asyncio.CancelledError if :meth:`stop` was called before or meanwhile."""

        async def announced() -> Result:
            task = asyncio.current_task()
            assert task is not None
            self._cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel)
            # checked after _cancel is set; stop() works in the opposite order, so one of them always sees the other
            if self._is_stopped:
                task.cancel()
            try:
                return await coroutine
            finally:
                self._cancel = None

        return run_in_loop(announced())

    def stop(self) -> None:
        """Stop the present run and all later ones. Does not wait."""
        self._is_stopped = True
        cancel = self._cancel
        if cancel is not None:
            with suppress(RuntimeError):  # it has ended already
                cancel()


_SEEDS = 1 << 48  # the first seed of a round is drawn below this
_CALLS = 1 << 10  # so many seeds are reserved for the model calls of one rollout


@dataclass(frozen=True)
class Timing:
    """Seconds of generation, of waiting for verdicts afterwards, and the idle part of generation.

    Generation is idle while every live rollout waits for its environment.
    """

    generate: float
    wait: float
    environment: float = 0.0

    def __add__(self, other: "Timing") -> "Timing":
        return Timing(self.generate + other.generate, self.wait + other.wait, self.environment + other.environment)


@dataclass(frozen=True)
class PlayLimits:
    """``live``: rollouts at once. ``turns``, ``tokens``: where one is ended (0: only by harness and model)."""

    live: int = 256
    turns: int = 0
    tokens: int = 0
    lockstep: bool = False  # see :class:`LiveEngine`


@dataclass(frozen=True)
class RolloutWorker:
    """Plays tasks and collects judged rollouts."""

    engine: GenerationEngine
    model: ChatModel
    harness: Harness
    environments: Sequence[Environment]
    """The environments, in the order of the numbers in draws."""
    scorer: Scorer
    generator: torch.Generator
    progress: Progress
    limits: PlayLimits = PlayLimits()
    held_out_verifier: int | None = None
    """The number of the held-out verifier in the scorer, if there is one."""
    ranks: Ranks = field(default_factory=Ranks)
    """The run's processes. Each plays whole groups, with the same seeds as in a single process."""
    unsaid: list[str] = field(default_factory=list)
    """Warnings of a process that does not talk to the user. The first process shows them."""
    runs: StoppableRuns = field(default_factory=StoppableRuns)
    """Runs a round of rollouts. Another thread can stop it."""

    def collect(
        self, draws: Sequence[Draw], copies: int, max_completion_length: int, sampling: Sampling, first_group: int = 0
    ) -> tuple[list[Rollout], Timing]:
        """Play every task ``copies`` times with the engine's present weights. Each rollout is judged as soon as it
        ends.

        With several processes, each plays its share of the tasks, and all get all rollouts.
        """
        first_seed = int(torch.randint(_SEEDS, (1,), generator=self.generator, device=self.generator.device))
        with self.ranks.fail_together():
            own = self._collect_own(draws, copies, max_completion_length, sampling, first_group, first_seed)
        shares = self.ranks.all_gather((*own, list(self.unsaid)))
        self.unsaid.clear()
        for number, (_, _, warned) in enumerate(shares if self.ranks.is_first else ()):
            for text in warned:
                self.progress.warn(f"process {number}: {text}")
        found = sorted(((key, one) for rollouts, _, _ in shares for key, one in rollouts), key=lambda pair: pair[0])
        timings = [(timing.generate, timing.wait, timing.environment) for _, timing, _ in shares]
        return [one for _, one in found], Timing(*map(max, zip(*timings, strict=True)))

    def _collect_own(
        self,
        draws: Sequence[Draw],
        copies: int,
        max_completion_length: int,
        sampling: Sampling,
        first_group: int,
        first_seed: int,
    ) -> tuple[list[tuple[int, Rollout]], Timing]:
        """The rollouts of this process, by their number (``key``) among the ``total`` rollouts of all processes.

        The held-out verifier's verdict on rollout ``key`` has the number ``key + total``.
        """
        scoring = self.scorer.round()
        live = LiveEngine(self.engine, self.limits.live, lockstep=self.limits.lockstep)
        played: dict[int, PlayedRollout] = {}
        outage = Outage()
        total = len(draws) * copies

        async def play(key: int, draw: Draw) -> None:
            make_policy = partial(
                RolloutPolicy,
                live,
                self.model,
                sampling=sampling,
                limits=TokenLimits(max_completion_length, self.limits.tokens),
                turns=self.limits.turns,
                seed=first_seed + _CALLS * (key + 1),
            )
            # All samples of a task start in the same state: the environment's seed is that of the task.
            seed = (first_seed + key // copies) % (1 << 31)
            played[key] = await self._play(live, draw, make_policy, Tries(outage), seed=seed)
            self._send(scoring, key, draw, played[key], total)
            self.progress.sampled(len(played), len(keyed))

        groups = [(group, draw) for group, draw in enumerate(draws) if self.ranks.owns(group)]
        keyed = [(group * copies + member, draw) for group, draw in groups for member in range(copies)]
        start = time.perf_counter()
        self.runs.run(live.run_all([play(key, draw) for key, draw in keyed]))
        self.engine.release()
        ended = time.perf_counter()
        verdicts = scoring.verdicts()
        timing = Timing(ended - start, time.perf_counter() - ended, live.idle_seconds)
        rollouts = [
            judged_rollout(
                draw,
                first_group + key // copies,
                played[key],
                verdicts.get(key) or self._unjudged(draw, played[key]),
                verdicts.get(key + total),
            )
            for key, draw in keyed
        ]
        return [(key, rollout) for (key, _), rollout in zip(keyed, rollouts, strict=True)], timing

    async def _play(
        self, live: LiveEngine, draw: Draw, make_policy: Callable[[], RolloutPolicy], tries: Tries, *, seed: int
    ) -> PlayedRollout:
        """One rollout; what is lost on the way is played again from its start, with the same seeds.

        After the last try it is unjudged. Raises what no other try or rollout would escape.
        """
        environment = self.environments[draw.environment]
        while True:
            policy = make_policy()
            try:
                transcript = await self.harness.play_async(environment, draw.row, policy, seed=seed, wait=live.wait)
            except (HarnessFailedError, HubUnreachableError, PolicyError) as error:
                pause = tries.pause_after(error)
                if pause is None:
                    kind = ErrorKind.HOST if is_away(error) else ErrorKind.VERIFIER_FAILED
                    return PlayedRollout(policy.calls, None, str(error), kind, tries.lost)
            else:
                tries.outage.end()
                return PlayedRollout(policy.calls, transcript, lost=tries.lost)
            await asyncio.sleep(pause)

    def _send(self, scoring: ScoringRound, key: int, draw: Draw, played: PlayedRollout, total: int) -> None:
        if played.transcript is None:
            return
        request = played.request(str(key), draw)
        scoring.submit(key, draw.environment, draw, request)
        if self.held_out_verifier is not None:
            scoring.submit(key + total, self.held_out_verifier, draw, request)

    def _unjudged(self, draw: Draw, played: PlayedRollout) -> Verdict:
        """Of a rollout that failed: it is not trained on."""
        names = list(self.environments[draw.environment].rewards)
        return Verdict.unjudged(names, played.kind, f"{BROKEN}: {played.failure}")
