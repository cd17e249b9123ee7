"""One box of sessions, over a connection that says what the test wants, by a clock that the test turns."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from sandbox.errors import (
    MemoryLimitError,
    OutputLimitError,
    PoolBusyError,
    SandboxError,
    SessionClosedError,
    TimeLimitError,
    VerifierFailedError,
)
from sandbox.guest import frames
from sandbox.host.box import BoxState
from sandbox.host.box_pool import BoxPool
from sandbox.host.metrics import SandboxMetrics
from sandbox.interface import Source
from sandbox.sessions.session_box import SessionBox, SessionContext
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import ToldBackend, ToldConnection, outcome

SETTINGS = SandboxSettings(sessions_per_box=2, grace_seconds=1.0)


def silent(*_: object) -> None:
    pass


class Bench:
    """A session box with nobody in it yet; a session may take two seconds for one request."""

    def __init__(
        self, box: SessionBox, connection: ToldConnection, clock: HandClock, emptied: list[SessionBox]
    ) -> None:
        self.box = box
        self.connection = connection
        self.clock = clock
        self.emptied = emptied

    def say(self, kind: int, ident: int, payload: bytes) -> None:
        self.connection.say(kind, ident, payload)

    def send(self, ident: int) -> "asyncio.Future[object]":
        return asyncio.ensure_future(self.box.ask(ident, frames.SEND, b"{}"))


def with_box(source: Source, test: Callable[[Bench], Awaitable[None]], *, concurrency: int = 9) -> None:
    async def run() -> None:
        clock, backend = HandClock(), ToldBackend(silent)
        pool = BoxPool(backend, SETTINGS, SandboxMetrics(), clock)
        emptied: list[SessionBox] = []
        context = SessionContext(pool, SETTINGS, asyncio.Semaphore(concurrency))
        box = SessionBox(await pool.open_environment(source), context, 2.0, emptied.append)
        await test(Bench(box, backend.connections[0], clock, emptied))
        await pool.aclose()

    run_by_hand(run())


@pytest.fixture
def source(equal_source: Source) -> Source:
    return equal_source


def value(of: object, *, last: bool = True) -> bytes:
    return bytes((last,)) + json.dumps({"value": of}).encode()


def test_an_answer_in_parts_comes_to_who_asked(source: Source) -> None:
    async def test(bench: Bench) -> None:
        one, other = bench.box.open(), bench.box.open()
        asking = bench.send(one), bench.send(other)
        await settled()
        whole = value([1, 2, 3])
        bench.say(frames.SAID, other, value("other"))
        bench.say(frames.SAID, one, b"\x00" + whole[1:8])
        bench.say(frames.SAID, one, b"\x01" + whole[8:])
        assert await asyncio.gather(*asking) == [[1, 2, 3], "other"]

    with_box(source, test)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (frames.TIMED_OUT, TimeLimitError),
        (frames.RETURNED, PoolBusyError),
        (frames.OUT_OF_MEMORY, MemoryLimitError),
        (frames.EXITED, SessionClosedError),
    ],
)
def test_how_a_session_ended_is_what_is_raised(source: Source, status: int, kind: type[SandboxError]) -> None:
    async def test(bench: Bench) -> None:
        ident = bench.box.open()
        asking = bench.send(ident)
        await settled()
        bench.say(frames.ENDED, ident, outcome(status))
        with pytest.raises(kind):
            await asking
        with pytest.raises(SessionClosedError, match="open another"):
            await bench.send(ident)

    with_box(source, test)


def test_a_session_that_says_too_much_ends_alone(source: Source) -> None:
    async def test(bench: Bench) -> None:
        loud, sibling = bench.box.open(), bench.box.open()
        asking, waiting = bench.send(loud), bench.send(sibling)
        await settled()
        for _ in range(20):
            bench.say(frames.SAID, loud, b"\x00" + bytes(64 << 10))
        with pytest.raises(OutputLimitError):
            await asking
        bench.say(frames.SAID, sibling, value(5))
        assert await waiting == 5
        assert (frames.CLOSE, loud, b"") in bench.connection.frames
        assert bench.box.session_count == 1

    with_box(source, test)


BROKEN_ANSWERS = {
    "nothing": b"",
    "no mark": b"\x07x",
    "half": b"\x01{",
    "a list": b"\x01[]",
    "an error that is a number": b'\x01{"error": 1}',
    "deep": b"\x01" + b"[" * 100_000,
    "a value 201 deep": b'\x01{"value":' + b"[" * 201 + b"]" * 201 + b"}",
    "NaN": b'\x01{"value": NaN}',
    "1e999": b'\x01{"value": {"x": [1e999]}}',
    "-1e999": b'\x01{"value": -1e999}',
    "half a pair": b'\x01{"value": "\\ud800"}',
    "no text": b'\x01{"value": "\xff"}',
    "a kind that is not": b'\x01{"error": {"kind": "nobody", "message": "x"}}',
}


@pytest.mark.parametrize("said", BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS.keys())
def test_an_answer_that_cannot_be_is_the_sessions_fault_and_its_siblings_go_on(source: Source, said: bytes) -> None:
    async def test(bench: Bench) -> None:
        broken, sibling = bench.box.open(), bench.box.open()
        asking, waiting = bench.send(broken), bench.send(sibling)
        await settled()
        bench.say(frames.SAID, broken, said)
        with pytest.raises(VerifierFailedError):
            await asking
        bench.say(frames.SAID, sibling, value(5))
        assert await waiting == 5

    with_box(source, test)


def test_a_session_cannot_blame_the_host(source: Source) -> None:
    async def test(bench: Bench) -> None:
        ident = bench.box.open()
        asking = bench.send(ident)
        await settled()
        bench.say(frames.SAID, ident, b'\x01{"error": {"kind": "host", "message": "not me"}}')
        with pytest.raises(VerifierFailedError, match="not me"):
            await asking

    with_box(source, test)


def test_a_box_that_does_not_answer_is_ended_and_all_its_sessions_are_told(source: Source) -> None:
    async def test(bench: Bench) -> None:
        asking = [bench.send(bench.box.open()) for _ in range(2)]
        await bench.clock.advance(6.9)
        assert bench.box.is_alive
        await bench.clock.advance(0.2)
        assert not bench.box.is_alive
        for one in asking:
            with pytest.raises(SessionClosedError):
                await one

    with_box(source, test)


def test_requests_beyond_the_limit_wait_with_their_clocks_stopped(source: Source) -> None:
    async def test(bench: Bench) -> None:
        first, second = bench.box.open(), bench.box.open()
        asking, waiting = bench.send(first), bench.send(second)
        await bench.clock.advance(6.0)
        assert [frame for frame in bench.connection.frames if frame[0] == frames.SEND] == [(frames.SEND, first, b"{}")]
        bench.say(frames.SAID, first, value(1))
        await bench.clock.advance(6.0)
        bench.say(frames.SAID, second, value(2))
        assert await asyncio.gather(asking, waiting) == [1, 2]

    with_box(source, test, concurrency=1)


def test_solutions_without_end_end_the_session_alone(source: Source) -> None:
    async def test(bench: Bench) -> None:
        hungry, sibling = bench.box.open(), bench.box.open()
        asking, waiting = bench.send(hungry), bench.send(sibling)
        await settled()
        for _ in range(1001):
            bench.say(frames.ASK, hungry, b"\x01{}")
            for _ in range(5):
                await asyncio.sleep(0)
        with pytest.raises(TimeLimitError, match="solutions"):
            await asking
        bench.say(frames.SAID, sibling, value(2))
        assert await waiting == 2

    with_box(source, test)


def test_a_request_that_is_given_up_ends_its_session_since_its_answer_would_come_to_the_next(source: Source) -> None:
    async def test(bench: Bench) -> None:
        ident = bench.box.open()
        asking = bench.send(ident)
        await settled()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await settled()
        assert (frames.CLOSE, ident, b"") in bench.connection.frames
        with pytest.raises(SessionClosedError):
            await bench.send(ident)

    with_box(source, test)


def test_closing_a_session_tells_whoever_waits_for_it_and_costs_its_siblings_nothing(source: Source) -> None:
    async def test(bench: Bench) -> None:
        closed, sibling = bench.box.open(), bench.box.open()
        asking, waiting = bench.send(closed), bench.send(sibling)
        await settled()
        await bench.box.close(closed)
        with pytest.raises(SessionClosedError, match="was closed"):
            await asking
        bench.say(frames.SAID, sibling, value(5))
        assert await waiting == 5

    with_box(source, test)


def test_an_empty_box_is_idle_and_says_so(source: Source) -> None:
    async def test(bench: Bench) -> None:
        ident = bench.box.open()
        assert bench.box.box.state is BoxState.BUSY
        await bench.box.close(ident)
        assert bench.box.box.state is BoxState.IDLE
        assert bench.emptied == [bench.box]

    with_box(source, test)


def test_branches_have_a_limit_and_a_refused_one_is_forgotten(source: Source) -> None:
    async def test(bench: Bench) -> None:
        first = bench.box.open()
        for _ in range(3):
            new = bench.box.new_ident()
            branching = asyncio.ensure_future(bench.box.branch(first, new))
            await settled()
            bench.say(frames.SAID, new, value(None))
            await branching
        with pytest.raises(PoolBusyError, match="4 sessions"):
            await bench.box.branch(first, bench.box.new_ident())
        assert bench.box.session_count == 4

    with_box(source, test)
