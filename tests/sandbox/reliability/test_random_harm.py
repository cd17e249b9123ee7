"""Random schedules of calls, cancellations, lost and frozen boxes and engine faults: nothing is lost, doubled or guessed."""

import asyncio
import contextlib
import random
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.reaper import OWNER
from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import HostFaultError, SandboxUnavailableError
from sandbox.guest import frames
from sandbox.interface import BoxSpec, Call, Connection, Receiver
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.clocks import LoopWithoutWaiting

CODE = "def verify(task, response):\n    return {'correct': 0.0}\n"


def right(ident: str) -> float:
    return float(int(ident) % 3 == 0)


class HarmedBackend(ScriptedBackend):
    """Scripted boxes that take a moment, and can be lost or frozen; an engine that can be gone."""

    def __init__(self) -> None:
        super().__init__(lambda response: {"correct": right(response)})
        self.connections: list[Any] = []
        self.is_gone = False

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        if self.is_gone:
            raise SandboxUnavailableError("no engine answers: start it")
        connection: Any = await super().open(spec, receiver)
        take = connection._take
        connection.is_frozen = False

        def later(kind: int, ident: int, payload: bytes) -> None:
            if connection.is_frozen and kind != frames.START:  # a box that is slow to import is the package's matter
                return
            if kind == frames.RUN:
                asyncio.get_running_loop().call_later(0.002, take, kind, ident, payload)
            else:
                take(kind, ident, payload)

        connection._take = later
        self.connections.append(connection)
        return connection  # type: ignore[no-any-return]

    def living(self) -> list[Any]:
        return [connection for connection in self.connections if not connection._is_closed]


class Caller:
    """One ``score`` in progress and what came of it."""

    def __init__(self, sandbox: Sandbox, source: Any, first: int, count: int, isolation: Isolation) -> None:
        self.asked = [str(number) for number in range(first, first + count)]
        self.told: dict[str, Verdict] = {}
        self.twice: list[str] = []
        calls = [Call(ident, TASK, response=ident) for ident in self.asked]
        self.task = asyncio.ensure_future(self._read(sandbox.score(source, calls, isolation=isolation)))

    async def _read(self, verdicts: Any) -> None:
        async for ident, verdict in verdicts:
            if ident in self.told:
                self.twice.append(ident)
            self.told[ident] = verdict


class RandomHarm(RuleBasedStateMachine):
    """The pool under a schedule that hypothesis makes up, and shortens when it finds one that breaks a rule."""

    callers = Bundle("callers")

    def __init__(self) -> None:
        super().__init__()
        self.loop = LoopWithoutWaiting()
        self.folder = tempfile.TemporaryDirectory()
        self.backend = HarmedBackend()
        self.made: list[Caller] = []
        self.next_id = 0
        self.harmed = False

    @initialize()
    def begin(self) -> None:
        sample = Sample(CODE, name="harmed", isolation="worker", timeout_seconds=0.1)
        self.source = sample.source(Path(self.folder.name))
        knobs: dict[str, Any] = {"boxes_per_package": 2, "batch_calls": 4, "worker_calls": 8, "queue_limit": 40}
        knobs |= {"grace_seconds": 0.05, "engine_patience_seconds": 0.05, "host_retries": 1, "replay_fraction": 0.1}
        self.sandbox = Sandbox(self.backend, SandboxSettings(**knobs))

    @rule(target=callers, count=st.integers(1, 60), isolation=st.sampled_from(list(Isolation)))
    def call(self, count: int, isolation: Isolation) -> Caller:
        async def begin() -> Caller:
            return Caller(self.sandbox, self.source, self.next_id, count, isolation)

        caller = self.loop.run_until_complete(begin())
        self.next_id += count
        self.made.append(caller)
        return caller

    @rule(caller=consumes(callers))
    def cancel(self, caller: Caller) -> None:
        self.made.remove(caller)
        caller.task.cancel()
        self.loop.run_until_complete(asyncio.gather(caller.task, return_exceptions=True))

    @rule(milliseconds=st.integers(1, 30))
    def wait(self, milliseconds: int) -> None:
        self.loop.run_until_complete(asyncio.sleep(milliseconds / 1000))

    @rule(number=st.integers(0, 5))
    def lose_a_box(self, number: int) -> None:
        if self.backend.living():
            self.harmed = True
            living = self.backend.living()

            async def lose() -> None:
                living[number % len(living)]._close("the box was lost, at random")

            self.loop.run_until_complete(lose())

    @rule(number=st.integers(0, 5))
    def freeze_a_box(self, number: int) -> None:
        if self.backend.living():
            self.harmed = True
            living = self.backend.living()
            living[number % len(living)].is_frozen = True

    @rule(is_gone=st.booleans())
    def have_the_engine_go_or_come(self, is_gone: bool) -> None:
        self.harmed = self.harmed or is_gone
        self.backend.is_gone = is_gone

    @invariant()
    def every_verdict_is_right_or_masked_and_came_once(self) -> None:
        for caller in self.made:
            assert caller.twice == []
            assert set(caller.told) <= set(caller.asked), "an answer to another caller's call"
            for ident, verdict in caller.told.items():
                if verdict.error is None:
                    assert verdict.rewards == {"correct": right(ident)}, ident
                else:
                    assert self.harmed, f"masked without any fault: {verdict}"
                    assert verdict.error.kind is ErrorKind.HOST
                    assert verdict.rewards == {"correct": None}

    def teardown(self) -> None:
        try:
            if self.made or self.next_id:
                self.backend.is_gone = False
                waiting = [caller.task for caller in self.made]
                _, late = self.loop.run_until_complete(_wait(waiting))
                assert not late, "a verdict is lost"
                self.every_verdict_is_right_or_masked_and_came_once()
                assert all(set(caller.told) == set(caller.asked) for caller in self.made)
                self.loop.run_until_complete(self._slots_are_free())
        finally:
            self.loop.run_until_complete(self.sandbox.aclose() if hasattr(self, "sandbox") else asyncio.sleep(0))
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()

    async def _slots_are_free(self) -> None:
        """Whatever was cancelled or harmed before, the next caller is served, and by no more boxes than allowed."""
        caller = Caller(self.sandbox, self.source, self.next_id, 5, Isolation.CALL)
        await asyncio.wait_for(caller.task, 60)
        assert all(verdict.error is None or self.harmed for verdict in caller.told.values())
        assert len(self.backend.living()) <= 8


async def _wait(tasks: list[Any]) -> tuple[set[Any], set[Any]]:
    return await asyncio.wait(tasks, timeout=60) if tasks else (set(), set())


RandomHarm.TestCase.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
test_no_schedule_of_harm_loses_doubles_or_guesses_a_verdict = RandomHarm.TestCase


class Harmer(threading.Thread):
    """Kills, freezes or removes a random box of ``backend``, a few times a second, until it is told to stop."""

    def __init__(self, backend: DockerBackend, seed: int) -> None:
        super().__init__(daemon=True)
        self._backend = backend
        self._chance = random.Random(seed)
        self._pauses_left = 3  # each costs its calls their whole limit: only the host's clock tells of it
        self.is_over = threading.Event()

    def run(self) -> None:
        owner = str(self._backend._claim().lock_path)
        while not self.is_over.wait(self._chance.uniform(0.1, 0.5)):
            boxes = [box.ident for box in self._backend.found_boxes() if box.labels[OWNER] == owner]
            if boxes:
                with contextlib.suppress(HostFaultError):  # it was gone already
                    self._harm(self._chance.choice(boxes), self._next_harm())

    def _next_harm(self) -> str:
        how = self._chance.choice(["kill", "pause", "remove"])
        if how == "pause":
            self._pauses_left -= 1
        return how if self._pauses_left >= 0 else "kill"

    def _harm(self, box: str, how: str) -> None:
        if how == "remove":
            self._backend.engine.remove_container(box)
        else:
            self._backend.engine.ask("harm a box", lambda api: getattr(api, how)(box))


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_random_harm_to_real_boxes_costs_no_verdict(tmp_path: Path, seed: int) -> None:
    knobs: dict[str, Any] = {"boxes_per_package": 3, "replay_fraction": 0.0, "host_retries": 6, "grace_seconds": 1.0}
    backend = DockerBackend(SandboxSettings(**knobs))
    code = "import time\ndef verify(task, response):\n    time.sleep(0.01)\n    return {'correct': float(int(response) % 3 == 0)}\n"
    source = Sample(code, name="harmed", isolation="worker", timeout_seconds=4.0).source(tmp_path)
    harmer = Harmer(backend, seed)
    seen: list[str] = []
    with BlockingSandbox(backend, backend._settings) as sandbox:
        sandbox.warm(source, 3)
        harmer.start()
        try:
            for level, count in ((Isolation.WORKER, 200), (Isolation.BATCH, 150), (Isolation.CALL, 100)):
                calls = [Call(str(number), TASK, response=str(number)) for number in range(count)]
                for ident, verdict in sandbox.score(source, calls, isolation=level):
                    seen.append(f"{level}-{ident}")
                    assert verdict.rewards == {"correct": None if verdict.error else right(ident)}
                    assert verdict.error is None or verdict.error.kind is ErrorKind.HOST, verdict
        finally:
            harmer.is_over.set()
            harmer.join()
        assert len(seen) == len(set(seen)) == 450
        assert sandbox.inner.metrics.total("boxes_lost") > 0
