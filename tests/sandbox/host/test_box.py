"""One box over a connection that says what the test wants, by a clock that the test turns."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest

from sandbox.errors import BoxLostError, TimeLimitError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.box import Box, BoxState, Wear, _seconds_waited
from sandbox.host.box_limits import BoxLimits
from sandbox.host.call_group_run import CallGroupResult, NotStartedError
from sandbox.host.handshake import ImportEndedError
from sandbox.interface import BoxResources, BoxRole, BoxSpec, BoxUsage, Source
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import Say, Script, ToldBackend, ToldConnection, answer_all, outcome, reply

LIMITS = BoxLimits.of(SandboxSettings(grace_seconds=1.0, start_timeout_seconds=60.0))
End = CallGroupResult | BoxLostError


def silent(*_: object) -> None:
    pass


def judges(say: Say, kind: int, ident: int, payload: bytes) -> None:
    if kind == frames.RUN:
        answer_all(say, ident, payload)


class Bench:
    """One box, its connection, its clock, and how the groups that it was sent have ended."""

    def __init__(self, script: Script, source: Source | None = None, *, start: bool = True) -> None:
        self.clock = HandClock()
        self.limits = LIMITS
        self.backend = ToldBackend(script, start=start)
        self.spec = BoxSpec(BoxRole.VERIFIER, BoxResources(BoxRole.VERIFIER, 64), source)
        self.states: list[BoxState] = []
        self.ends: dict[int, End] = {}

    async def open(self) -> Box:
        box = await Box.open(self.backend, self.spec, lambda _: {}, self.limits, self.clock)
        box.listen(lambda changed: self.states.append(changed.state))
        return box

    @property
    def connection(self) -> ToldConnection:
        return self.backend.connections[-1]

    def send(self, box: Box, *sizes: int, seconds: float = 1.0) -> None:
        first = len(self.ends)
        box.start(
            [[b"{}"] * size for size in sizes],
            frames.BATCH,
            seconds,
            lambda number, end: self.ends.__setitem__(first + number, end),
        )

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        run_by_hand(work)


def test_a_group_makes_the_box_busy_and_then_idle_again() -> None:
    bench = Bench(judges)

    async def run() -> None:
        box = await bench.open()
        assert box.state is BoxState.IDLE
        bench.send(box, 3)
        assert (box.state, len(box.groups)) == (BoxState.BUSY, 1)
        await settled()
        assert (box.state, len(box.groups)) == (BoxState.IDLE, 0)
        end = bench.ends[0]
        assert isinstance(end, CallGroupResult)
        assert end.is_complete

    bench.run(run())
    assert bench.states == [BoxState.BUSY, BoxState.IDLE]


def test_a_box_that_says_nothing_after_its_calls_time_is_lost_and_only_the_first_group_is_to_blame() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1, 1)
        await bench.clock.advance(1.9)
        assert box.state is BoxState.BUSY
        await bench.clock.advance(0.2)
        assert box.state is BoxState.DEAD
        assert bench.connection.is_killed
        assert type(bench.ends[0]) is BoxLostError
        assert type(bench.ends[1]) is NotStartedError

    bench.run(run())


def test_each_answer_gives_the_next_call_its_time() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 3)
        for index in range(3):
            await bench.clock.advance(1.5)
            bench.connection.say(frames.CHUNK, 1, reply(0, index))
        bench.connection.say(frames.DONE, 1, outcome(frames.FINISHED))
        assert isinstance(bench.ends[0], CallGroupResult)
        assert box.state is BoxState.IDLE

    bench.run(run())


def test_a_group_of_a_shorter_limit_behind_a_longer_one_has_its_own_time() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1, seconds=100.0)
        bench.send(box, 1, seconds=1.0)
        await bench.clock.advance(5)
        bench.connection.say(frames.DONE, 1, outcome(frames.FINISHED))
        await bench.clock.advance(1.9)
        assert box.state is BoxState.BUSY
        await bench.clock.advance(0.2)
        assert box.state is BoxState.DEAD
        assert type(bench.ends[0]) is BoxLostError

    bench.run(run())


def test_the_time_of_a_group_that_has_ended_harms_neither_an_idle_box_nor_its_next_group() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1)
        bench.connection.say(frames.DONE, 1, outcome(frames.FINISHED))
        await bench.clock.advance(1.5)
        assert box.state is BoxState.IDLE
        bench.send(box, 1)
        await bench.clock.advance(1.9)  # past the moment at which the first group would have been late
        assert box.state is BoxState.BUSY
        await bench.clock.advance(0.2)
        assert box.state is BoxState.DEAD

    bench.run(run())


def test_progress_without_end_is_ended_as_the_groups_own_doing_and_the_next_group_is_not_to_blame() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1, 1)
        for _ in range(40):
            bench.connection.say(frames.CHUNK, 1, b"")
            await bench.clock.advance(0.5)
        assert box.state is BoxState.DEAD
        end = bench.ends[0]
        assert isinstance(end, CallGroupResult)
        assert end.status == frames.TIMED_OUT
        assert type(bench.ends[1]) is NotStartedError

    bench.run(run())


def test_groups_that_come_back_unbegun_do_not_move_the_clock_of_the_first() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, *[1] * 30)
        for other in range(2, 31):
            bench.connection.say(frames.DONE, other, outcome(frames.RETURNED))
            await bench.clock.advance(0.5)
        assert box.state is BoxState.DEAD

    bench.run(run())


def test_a_retired_box_ends_what_it_has_and_then_itself() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1)
        box.retire()
        assert (box.state, box.serves, bench.connection.is_killed) == (BoxState.DRAINING, False, False)
        bench.connection.say(frames.DONE, 1, outcome(frames.EXITED))
        await settled()
        assert (box.state, bench.connection.is_killed) == (BoxState.DEAD, True)
        assert isinstance(bench.ends[0], CallGroupResult)

    bench.run(run())


def test_an_idle_box_that_is_retired_ends_at_once() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        box.retire()
        await settled()
        assert bench.connection.is_killed

    bench.run(run())
    assert bench.states == [BoxState.DRAINING, BoxState.DEAD]


def test_a_box_with_sessions_is_busy_without_groups() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        box.occupy()
        assert box.state is BoxState.BUSY
        await bench.clock.advance(5)
        box.vacate()
        assert (box.state, box.idle_since) == (BoxState.IDLE, 5.0)

    bench.run(run())


def test_a_dead_box_takes_nothing_and_stays_dead() -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        await box.kill("on purpose")
        for transition in (box.occupy, box.vacate, box.retire):
            transition()
        box.closed("again")
        assert box.state is BoxState.DEAD
        with pytest.raises(BoxLostError, match="on purpose"):
            bench.send(box, 1)

    bench.run(run())
    assert bench.states == [BoxState.DEAD]


def test_a_listener_that_fails_harms_neither_the_box_nor_other_listeners() -> None:
    bench = Bench(judges)

    def broken(_: Box) -> None:
        raise RuntimeError("a bug of ours")

    async def run() -> None:
        box = await bench.open()
        box.listen(broken)
        heard: list[BoxState] = []
        box.listen(lambda changed: heard.append(changed.state))
        box.start([[b"{}"]], frames.BATCH, 1.0, lambda *_: broken(box))
        await settled()
        assert heard == [BoxState.BUSY, BoxState.IDLE]

    bench.run(run())


def test_a_listener_that_is_handed_in_twice_is_called_once_each_time() -> None:
    bench = Bench(judges)
    told: list[BoxState] = []

    async def run() -> None:
        box = await bench.open()

        def look(changed: Box) -> None:
            told.append(changed.state)

        for _ in range(2):
            box.listen(look, BoxState.IDLE)
        for _ in range(2):
            box.start([[b"{}"]], frames.BATCH, 1.0, lambda *_: None)
            await settled()
        assert told == [BoxState.IDLE] * 2

    bench.run(run())


@pytest.mark.parametrize(
    ("leftovers", "is_dirty", "wear"),
    [(0, False, None), (3, False, None), (4, False, Wear.WORN), (0, True, Wear.DIRTY)],
)
def test_a_box_retires_by_itself_after_a_group_that_it_could_not_be_cleaned_of(
    leftovers: int, is_dirty: bool, wear: Wear | None
) -> None:
    bench = Bench(silent)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1)
        done = frames.OUTCOME.pack(frames.FINISHED, 0, 0, 0, 0, leftovers, is_dirty)
        bench.connection.say(frames.DONE, 1, done)
        assert box.wear is wear
        assert box.state is (BoxState.DEAD if wear else BoxState.IDLE)
        assert isinstance(bench.ends[0], CallGroupResult), "its group is told all the same"

    bench.run(run())


def test_a_box_retires_by_itself_when_it_has_had_its_groups_or_its_time() -> None:
    bench = Bench(judges)
    bench.limits = replace(LIMITS, most_call_groups=2, lifetime_seconds=100.0)

    async def run() -> None:
        box = await bench.open()
        bench.send(box, 1, 1)
        await settled()
        assert (box.state, box.wear) == (BoxState.DEAD, Wear.WORN)
        assert len(bench.ends) == 2, "what it had begun was ended"
        box = await bench.open()
        await bench.clock.advance(101)
        assert box.state is BoxState.IDLE, "a box that rests is its pool's concern"
        bench.send(box, 1)
        await settled()
        assert (box.state, box.wear) == (BoxState.DEAD, Wear.WORN)

    bench.run(run())


def test_importing_has_a_time_and_whose_fault_it_is_depends_on_the_package(equal_source: Source) -> None:
    for source, kind in ((equal_source, TimeLimitError), (None, BoxLostError)):
        bench = Bench(silent, source, start=False)

        async def run(bench: Bench = bench, kind: type[Exception] = kind) -> None:
            opening = asyncio.ensure_future(bench.open())
            await bench.clock.advance(59)
            assert not opening.done()
            await bench.clock.advance(2)
            with pytest.raises(kind, match="60 s"):
                await opening
            assert bench.connection.is_killed

        bench.run(run())


def test_a_box_that_ends_while_it_imports_says_so(equal_source: Source) -> None:
    bench = Bench(silent, equal_source, start=False)

    async def run() -> None:
        opening = asyncio.ensure_future(bench.open())
        await settled()
        await bench.connection.kill()
        with pytest.raises(ImportEndedError, match="while the package was imported"):
            await opening

    bench.run(run())


def test_a_package_that_cannot_be_loaded_is_the_guests_fault() -> None:
    def script(say: Say, kind: int, ident: int, payload: bytes) -> None:
        say(frames.FAILED, 0, b'{"kind": "verifier_failed", "message": "no module"}')

    bench = Bench(script, start=False)

    async def run() -> None:
        with pytest.raises(VerifierFailedError, match="no module"):
            await bench.open()

    bench.run(run())


class Waited(ToldConnection):
    """A connection whose backend can tell what its box used, and for how long a thread of it waited."""

    def __init__(self, waited: float, used: float | None) -> None:
        self._waited = waited
        self._used = used

    def seconds_waited(self) -> float:
        return self._waited

    def usage(self) -> BoxUsage | None:
        return None if self._used is None else BoxUsage(self._used, 0, 0, 0)


@pytest.mark.parametrize(
    ("waited", "used", "processors", "counts"),
    [
        (9.0, 0.5, 1.0, 9.0),  # others had the processor
        (9.8, 10.0, 1.0, 0.0),  # 40 processes of its own had it, and waited for each other
        (9.8, 4.0, 1.0, 6.0),  # both
        (9.8, 20.0, 2.0, 0.0),
        (5.0, 5.0, 2.0, 5.0),  # one thread, half of the time, with room for another beside it
        (9.0, 99.0, 1.0, 0.0),
        (9.0, None, 1.0, 9.0),  # it cannot be told
        (0.0, 10.0, 1.0, 0.0),
    ],
)
def test_nobody_gets_more_time_for_being_many(
    waited: float, used: float | None, processors: float, counts: float
) -> None:
    assert _seconds_waited(Waited(waited, used), processors, 10.0) == counts
