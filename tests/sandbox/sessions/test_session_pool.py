"""Which box a session comes to, and when boxes end."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxUnavailableError, VerifierFailedError
from sandbox.host.box_pool import BoxPool
from sandbox.host.metrics import SandboxMetrics
from sandbox.interface import BoxSpec, Connection, Receiver, Source
from sandbox.sessions.session_pool import SessionPool
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import ToldBackend

SETTINGS = SandboxSettings(sessions_per_box=2, box_idle_seconds=600.0, box_lifetime_seconds=3600.0, host_retries=1)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    head = 'verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntasks = { train = "tasks.jsonl" }'
    files = {"tasks.jsonl": '{"id": "t1", "prompt": "q"}\n'}
    return Sample("", name="talks", kind="environment", head=head, files=files).source(tmp_path)


class Bench:
    def __init__(self, backend: ToldBackend) -> None:
        self.clock = HandClock()
        self.backend = backend
        self.pool = BoxPool(backend, SETTINGS, SandboxMetrics(), self.clock)
        self.sessions = SessionPool(self.pool, SETTINGS)

    @property
    def alive(self) -> int:
        return sum(not connection.is_killed for connection in self.backend.connections)


def with_bench(test: Callable[[Bench], Awaitable[None]], backend: ToldBackend | None = None) -> None:
    async def run() -> None:
        bench = Bench(backend or ToldBackend(lambda *_: None))
        await test(bench)
        await bench.pool.aclose()

    run_by_hand(run())


def test_sessions_that_are_opened_at_once_fill_boxes(source: Source) -> None:
    async def test(bench: Bench) -> None:
        opened = await asyncio.gather(*(bench.sessions.open(source, TASK) for _ in range(5)))
        assert len({id(session._host) for session in opened}) == 3

    with_bench(test)


def test_a_session_moves_into_the_room_that_another_left(source: Source) -> None:
    async def test(bench: Bench) -> None:
        first, second = [await bench.sessions.open(source, TASK) for _ in range(2)]
        await first.close()
        third = await bench.sessions.open(source, TASK)
        assert third._host is second._host

    with_bench(test)


def test_a_lost_box_is_replaced(source: Source) -> None:
    async def test(bench: Bench) -> None:
        await bench.sessions.open(source, TASK)
        await bench.backend.connections[0].kill()
        await bench.sessions.open(source, TASK)
        assert bench.alive == 1

    with_bench(test)


def test_one_empty_box_is_kept_for_a_while(source: Source) -> None:
    async def test(bench: Bench) -> None:
        opened = [await bench.sessions.open(source, TASK) for _ in range(6)]
        assert bench.alive == 3
        for session in opened:
            await session.close()
        await settled()
        assert bench.alive == 1
        await bench.clock.advance(601)
        assert bench.alive == 0
        assert bench.sessions._boxes == {}

    with_bench(test)


def test_an_old_box_takes_no_new_session(source: Source) -> None:
    async def test(bench: Bench) -> None:
        await bench.sessions.open(source, TASK)
        await bench.clock.advance(3601)
        await bench.sessions.open(source, TASK)
        assert bench.alive == 2

    with_bench(test)


def test_a_host_that_fails_is_tried_again_and_then_believed(source: Source) -> None:
    class Failing(ToldBackend):
        failures = 1

        async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
            if self.failures:
                self.failures -= 1
                raise SandboxUnavailableError("no engine")
            return await super().open(spec, receiver)

    async def test(bench: Bench) -> None:
        opening = asyncio.ensure_future(bench.sessions.open(source, TASK))
        await bench.clock.advance(1)
        await opening
        assert isinstance(bench.backend, Failing)
        bench.backend.failures = 2
        await bench.backend.connections[0].kill()
        refused = asyncio.ensure_future(bench.sessions.open(source, TASK))
        await bench.clock.advance(5)
        with pytest.raises(SandboxUnavailableError):
            await refused

    with_bench(test, Failing(lambda *_: None))


def test_a_package_without_sessions_is_refused(equal_source: Source) -> None:
    async def test(bench: Bench) -> None:
        with pytest.raises(VerifierFailedError, match="no session"):
            await bench.sessions.open(equal_source, TASK)

    with_bench(test)
