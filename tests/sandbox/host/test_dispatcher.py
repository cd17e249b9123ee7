import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import PoolBusyError, SandboxError, SandboxUnavailableError, VerifierFailedError
from sandbox.guest import frames
from sandbox.interface import Call, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.sandbox.clocks import HandClock, run_by_hand, settled


def judge(task: dict[str, object], response: str) -> dict[str, float]:
    return {"correct": float(response == task["answer"])}


def calls(count: int) -> list[Call]:
    return [Call(str(i), TASK, response="2" if i % 2 else "3") for i in range(count)]


async def score(
    source: Source, backend: ScriptedBackend, count: int, isolation: Isolation, **knobs: object
) -> dict[str, Verdict]:
    seen: Counter[str] = Counter()
    verdicts = {}
    async with Sandbox(backend, SandboxSettings(replay_fraction=0.0, **knobs)) as sandbox:  # type: ignore[arg-type]
        async for ident, verdict in sandbox.score(source, calls(count), isolation=isolation):
            seen[ident] += 1
            verdicts[ident] = verdict
    assert max(seen.values(), default=1) == 1, "a verdict came twice"
    return verdicts


@pytest.mark.parametrize("isolation", list(Isolation))
def test_every_call_is_judged_once_at_every_level(equal_source: Source, isolation: Isolation) -> None:
    verdicts = run_by_hand(score(equal_source, ScriptedBackend(judge), 200, isolation))
    assert {ident: verdict.rewards["correct"] for ident, verdict in verdicts.items()} == {
        str(i): float(i % 2) for i in range(200)
    }


@settings(max_examples=40, deadline=None)
@given(
    losses=st.sets(st.integers(1, 40), max_size=25),
    isolation=st.sampled_from(list(Isolation)),
    count=st.integers(1, 60),
)
def test_no_verdict_is_lost_doubled_or_guessed_however_boxes_die(
    losses: set[int], isolation: Isolation, count: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Sample("def verify(task, response):\n    return {'correct': 0.0}\n", isolation="worker").source(
            Path(folder)
        )
        verdicts = run_by_hand(score(source, ScriptedBackend(judge, losses=losses), count, isolation, batch_calls=8))
    assert set(verdicts) == {str(i) for i in range(count)}
    for ident, verdict in verdicts.items():
        if verdict.error is None:
            assert verdict.rewards == {"correct": float(int(ident) % 2)}
        else:
            assert verdict.error.kind is ErrorKind.HOST
            assert verdict.rewards == {"correct": None}


def test_a_call_whose_boxes_all_die_is_null_and_the_hosts_fault(equal_source: Source) -> None:
    backend = ScriptedBackend(judge, losses=range(1, 4))
    verdicts = run_by_hand(score(equal_source, backend, 1, Isolation.CALL, host_retries=2))
    [verdict] = verdicts.values()
    assert verdict.rewards == {"correct": None}
    assert verdict.error is not None
    assert verdict.error.kind is ErrorKind.HOST
    assert "3 boxes" in verdict.error.message


def test_without_an_engine_every_call_says_so(equal_source: Source) -> None:
    backend = ScriptedBackend(refuses=SandboxUnavailableError("no engine here"))
    verdicts = run_by_hand(score(equal_source, backend, 5, Isolation.CALL, host_retries=1))
    assert {v.error.message for v in verdicts.values() if v.error} == {"no engine here"}
    assert {v.error.kind for v in verdicts.values() if v.error} == {ErrorKind.HOST}


def test_a_package_that_cannot_be_loaded_fails_every_call_without_a_retry(equal_source: Source) -> None:
    backend = ScriptedBackend(refuses=VerifierFailedError("does not import"))
    verdicts = run_by_hand(score(equal_source, backend, 5, Isolation.CALL))
    assert {v.error.kind for v in verdicts.values() if v.error} == {ErrorKind.VERIFIER_FAILED}


def test_isolation_is_raised_and_never_lowered(equal_source: Source) -> None:
    async def run() -> int:
        async with Sandbox(ScriptedBackend(judge), SandboxSettings(replay_fraction=0.0)) as sandbox:
            async for _ in sandbox.score(equal_source, calls(10), isolation=Isolation.WORKER):
                pass
            return sandbox.metrics.total("calls", "sample/sample", "call", "ok")

    assert run_by_hand(run()) == 10


def test_a_replayed_call_that_differs_is_recorded(tmp_path) -> None:
    source = Sample("def verify(task, response):\n    return {'correct': 0.0}\n", isolation="batch").source(tmp_path)
    answers = iter(range(10_000))

    async def run() -> tuple[int, int]:
        backend = ScriptedBackend(lambda response: {"correct": float(next(answers) % 2)})
        async with Sandbox(backend, SandboxSettings(replay_fraction=1.0, boxes_per_package=1)) as sandbox:
            async for _ in sandbox.score(source, calls(1)):
                pass
            replays = sandbox.replays(source)
            async with asyncio.timeout(60):
                while replays.pending:  # noqa: ASYNC110 -- nothing tells when a replay is done
                    await asyncio.sleep(0.01)
            return replays.compared, replays.mismatch_count

    assert run_by_hand(run()) == (1, 1)


def test_calls_are_read_no_further_than_the_limits(equal_source: Source) -> None:
    read = 0

    async def endless() -> AsyncIterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    async def run() -> None:
        async with Sandbox(ScriptedBackend(judge), SandboxSettings(queue_limit=64)) as sandbox:
            stream = sandbox.judge(equal_source, endless())
            await anext(stream)
            await settled()
            await stream.aclose()

    run_by_hand(run())
    assert read < 12_000


def test_a_package_without_a_verifier_of_its_own_says_which_one_it_names(tmp_path) -> None:
    head = 'verifier = "bob/other@>=1"\ntasks = { train = "tasks.jsonl" }'
    source = Sample(
        "", kind="environment", head=head, rewards=(), files={"tasks.jsonl": '{"id": "a", "prompt": "b"}\n'}
    ).source(tmp_path)

    async def run() -> None:
        async with Sandbox(ScriptedBackend(judge)) as sandbox:
            async for _ in sandbox.score(source, calls(1)):
                pass

    with pytest.raises(VerifierFailedError, match="bob/other"):
        run_by_hand(run())


def test_a_call_that_is_not_json_is_the_callers_error(equal_source: Source) -> None:
    async def run() -> None:
        async with Sandbox(ScriptedBackend(judge)) as sandbox:
            async for _ in sandbox.score(equal_source, [Call("1", {"x": object()}, response="")]):
                pass

    with pytest.raises(TypeError):
        run_by_hand(run())


def test_a_closed_sandbox_refuses(equal_source: Source) -> None:
    async def run() -> None:
        sandbox = Sandbox(ScriptedBackend(judge))
        await sandbox.aclose()
        await sandbox.warm(equal_source)

    with pytest.raises(SandboxError, match="closed"):
        run_by_hand(run())


def test_the_cap_on_boxes_ends_an_idle_one_of_another_package(tmp_path) -> None:
    async def run() -> int:
        code = "def verify(task, response):\n    return {'correct': 0.0}\n"
        sources = [Sample(code, name=f"p{i}").source(tmp_path) for i in range(6)]
        async with Sandbox(ScriptedBackend(judge), SandboxSettings(max_boxes=3, boxes_per_package=1)) as sandbox:
            for source in sources:
                async for _, verdict in sandbox.score(source, calls(2)):
                    assert verdict.error is None
            return sum(sandbox.pool.live.by_state().values())

    assert run_by_hand(run()) <= 3


def test_pool_busy_is_a_host_fault() -> None:
    assert PoolBusyError("x").kind is ErrorKind.HOST


def test_leaving_a_full_queue_makes_room_for_the_next_caller(equal_source: Source) -> None:
    async def endless() -> AsyncIterator[Call]:
        while True:
            yield Call("x", TASK, response="2")

    class Slow(ScriptedBackend):
        """Takes a while to open a box, as an engine under load does: meanwhile the queue fills to its limit."""

        async def open(self, spec: object, receiver: object) -> object:
            asked.set()
            await goes_on.wait()
            return await super().open(spec, receiver)  # type: ignore[arg-type]

    asked, goes_on = asyncio.Event(), asyncio.Event()

    async def run() -> Verdict:
        async with Sandbox(Slow(judge), SandboxSettings(queue_limit=64)) as sandbox:
            stream = sandbox.judge(equal_source, endless())
            reading = asyncio.ensure_future(anext(stream))
            await asked.wait()
            await settled()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await stream.aclose()
            goes_on.set()
            async with asyncio.timeout(60):
                return await _first(sandbox.score(equal_source, calls(1)))

    assert run_by_hand(run()).error is None


def test_a_cancelled_group_does_not_take_a_wanted_one_with_it(equal_source: Source) -> None:
    """Two callers share a box: the first still waits for its call when the second leaves."""
    started = asyncio.Event()
    go_on = asyncio.Event()

    class Held(ScriptedBackend):
        async def open(self, spec: object, receiver: object) -> object:
            connection = await super().open(spec, receiver)  # type: ignore[arg-type]
            take = connection._take  # type: ignore[attr-defined]

            def held(kind: int, ident: int, payload: bytes) -> None:
                if kind == frames.RUN and not go_on.is_set():
                    started.set()
                    task = asyncio.ensure_future(go_on.wait())
                    task.add_done_callback(lambda _: take(kind, ident, payload))
                else:
                    take(kind, ident, payload)

            connection._take = held  # type: ignore[attr-defined]
            return connection

    async def run() -> tuple[Verdict, int]:
        clock = HandClock()
        settings = SandboxSettings(boxes_per_package=1, replay_fraction=0.0)
        async with Sandbox(Held(judge), settings, clock) as sandbox:
            wanted = asyncio.ensure_future(_first(sandbox.score(equal_source, calls(1))))
            await started.wait()
            unwanted = asyncio.ensure_future(_first(sandbox.score(equal_source, calls(1))))
            await settled()
            unwanted.cancel()
            await asyncio.gather(unwanted, return_exceptions=True)
            await clock.advance(1.0)
            go_on.set()
            return await wanted, sandbox.metrics.total("boxes_lost")

    verdict, lost = run_by_hand(run())
    assert verdict.error is None
    assert lost == 0


async def _first(stream: AsyncIterator[tuple[str, Verdict]]) -> Verdict:
    async for _, verdict in stream:
        return verdict
    raise AssertionError("nothing was judged")


async def judged_by(clock: HandClock, sandbox: Sandbox, source: Source) -> list[Verdict]:
    """Twenty verdicts, by a clock that goes on in tenths of a second while anything is to be waited for."""

    async def read() -> list[Verdict]:
        return [verdict async for _, verdict in sandbox.score(source, calls(20), isolation=Isolation.CALL)]

    reading = asyncio.ensure_future(read())
    while not reading.done():
        await settled()
        await clock.advance(0.1)
    return await reading


def test_an_engine_that_restarts_costs_no_verdict(equal_source: Source) -> None:
    clock = HandClock()

    class Restarting(ScriptedBackend):
        """Gone for two seconds after its first group: boxes die, none can be opened."""

        gone_until = 0.0

        async def open(self, spec: object, receiver: object) -> object:
            if clock.now() < self.gone_until:
                raise SandboxUnavailableError("no engine answers")
            return await super().open(spec, receiver)  # type: ignore[arg-type]

        def is_lost_now(self) -> bool:
            if self.gone_until == 0.0:
                self.gone_until = clock.now() + 2.0
                return True
            return clock.now() < self.gone_until

    async def run() -> list[Verdict]:
        async with Sandbox(Restarting(judge), SandboxSettings(replay_fraction=0.0), clock) as sandbox:
            return await judged_by(clock, sandbox, equal_source)

    verdicts = run_by_hand(run())
    assert [verdict.error for verdict in verdicts] == [None] * 20
    assert clock.now() >= 2.0


def test_an_engine_that_stays_away_is_waited_for_only_so_long(equal_source: Source) -> None:
    clock = HandClock()

    class Leaving(ScriptedBackend):
        async def open(self, spec: object, receiver: object) -> object:
            if self.opened:
                raise SandboxUnavailableError("no engine answers: start it")
            return await super().open(spec, receiver)  # type: ignore[arg-type]

    async def run() -> list[Verdict]:
        knobs = SandboxSettings(engine_patience_seconds=5.0, host_retries=1, boxes_per_package=1, replay_fraction=0.0)
        async with Sandbox(Leaving(judge, losses=range(1, 1000)), knobs, clock) as sandbox:
            return await judged_by(clock, sandbox, equal_source)

    verdicts = run_by_hand(run())
    assert {verdict.error.message for verdict in verdicts if verdict.error} == {"no engine answers: start it"}
    assert 5.0 <= clock.now() < 10.0


def test_an_engine_that_refuses_one_more_box_is_not_asked_without_pause(equal_source: Source) -> None:
    class Full(ScriptedBackend):
        asked = 0

        async def open(self, spec: object, receiver: object) -> object:
            self.asked += 1
            if self.opened:
                raise SandboxUnavailableError("the engine is full")
            return await super().open(spec, receiver)  # type: ignore[arg-type]

    backend = Full(judge)

    async def run() -> None:
        settings = SandboxSettings(boxes_per_package=4, replay_fraction=0.0)
        async with Sandbox(backend, settings, HandClock()) as sandbox:
            async for _ in sandbox.score(equal_source, calls(3000)):
                pass

    run_by_hand(run())
    assert backend.asked == 4, "no time passes by this clock, so each of four places is asked for once"


def test_boxes_that_end_while_they_import_are_the_packages_fault_only_if_none_was_ever_ready(
    equal_source: Source,
) -> None:
    class Ending(ScriptedBackend):
        """Its boxes end before they are ready, from the ``first`` to the ``last``."""

        def __init__(self, first: int, last: int) -> None:
            super().__init__(judge, losses=[1])
            self.ending = range(first, last + 1)

        async def open(self, spec: object, receiver: object) -> object:
            connection = await super().open(spec, receiver)  # type: ignore[arg-type]
            if len(self.opened) in self.ending:
                connection.send = lambda _: connection._close("killed from outside")  # type: ignore[attr-defined, method-assign]
            return connection

    one_box = {"boxes_per_package": 1}
    [broken] = run_by_hand(score(equal_source, Ending(1, 9), 1, Isolation.CALL, **one_box)).values()
    assert broken.error is not None
    assert broken.error.kind is ErrorKind.VERIFIER_FAILED
    [right] = run_by_hand(score(equal_source, Ending(2, 3), 1, Isolation.CALL, **one_box)).values()
    assert right.error is None
