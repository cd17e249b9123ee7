"""Many rollouts at once over one engine: whoever waits for an environment keeps nobody else waiting."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hub_client.evaluation.policy import ContextOverflowError
from trainer_bridge.rollout.chat.chat_model import ChatModel, Limits
from trainer_bridge.rollout.chat.conversations import Call, Conversations, Message
from trainer_bridge.rollout.decoding.engine import Engine
from trainer_bridge.rollout.decoding.requests import Ask, Written
from trainer_bridge.rollout.decoding.sampling import Sampling

Result = TypeVar("Result")


class LiveEngine:
    """Steps the engine on the thread that also runs the rollouts' coroutines; what blocks goes to threads.

    A rollout blocks on one thing at a time, and when it is given up its session is closed on a second thread. So twice
    as many threads as rollouts may live are always enough.
    """

    def __init__(self, engine: Engine, most: int) -> None:
        self._engine, self._most = engine, most
        self._threads: ThreadPoolExecutor | None = None
        self._woken = asyncio.Event()
        self.idle_seconds = 0.0
        """How long nothing could be generated, since every live rollout waited for its environment."""

    async def write(self, ask: Ask) -> Written:
        """Wait for the engine's answer to ``ask``."""
        answered: asyncio.Future[Written] = asyncio.get_running_loop().create_future()

        def done(written: Written) -> None:
            if not answered.done():
                answered.set_result(written)

        self._engine.submit(ask, done)
        self._woken.set()
        return await answered

    def wait(self, blocking: Callable[[], Result]) -> Awaitable[Result]:
        """Run what blocks on a thread of its own."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(2 * self._most, "verihub-environment")
        return asyncio.get_running_loop().run_in_executor(self._threads, blocking)

    async def run_all(self, rollouts: Sequence[Coroutine[Any, Any, None]]) -> None:
        """Run every coroutine to its end, in their order, at most so many at once. An error ends them all."""
        places = asyncio.Semaphore(self._most)

        async def in_turn(rollout: Coroutine[Any, Any, None]) -> None:
            try:
                async with places:
                    await rollout
            finally:
                rollout.close()
                self._woken.set()

        tasks = [asyncio.create_task(in_turn(rollout)) for rollout in rollouts]
        try:
            while not all(task.done() for task in tasks):
                await asyncio.sleep(0)  # whoever can go on does, and says what it wants next
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
        if self._engine.is_busy:
            self._engine.step()
            return
        start = time.perf_counter()
        await self._woken.wait()
        self._woken.clear()
        self.idle_seconds += time.perf_counter() - start


class RolloutPolicy:
    """The policy that one rollout sees. It keeps every call, token by token."""

    def __init__(
        self, live: LiveEngine, model: ChatModel, *, sampling: Sampling, limits: Limits, turns: int, seed: int
    ) -> None:
        self._live, self._model = live, model
        self._sampling, self._limits, self._turns, self._seed = sampling, limits, turns, seed
        self._known = Conversations()
        self.calls: list[Call] = []
        self.opening = 0
        """How many messages there were before the policy said anything."""

    async def complete(self, messages: Sequence[Message], tools: Sequence[Message], *, seed: int) -> Message:
        """The assistant's next message; see :class:`~hub_client.evaluation.policy.Policy`.

        Raises:
            ContextOverflowError: the limit of turns or of tokens is reached: the rollout ends as it stands.

        """
        del seed  # that of the environment, which all samples of a task share
        if self._turns and len(self.calls) >= self._turns:
            raise ContextOverflowError(f"the rollout has had its {self._turns} turns")
        self.opening = self.opening or len(messages)
        seed = self._seed + len(self.calls)
        ask = self._model.ask(self._known, messages, tools, sampling=self._sampling, limits=self._limits, seed=seed)
        written = await self._live.write(ask)
        call = self._model.call(ask, written, has_tools=bool(tools))
        self._known.remember(messages, tools, call)
        self.calls.append(call)
        return {**call.message, "finish_reason": "length" if written.truncated else "stop"}


def run_in_loop(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end in an event loop of its own, also where this thread has one that is running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    found: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            found.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001 -- raised again by whoever waits
            errors.append(error)

    thread = threading.Thread(target=work, name="verihub-rollouts")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return found[0]
