"""Places below the cap: in order of asking, by ending idle boxes, and by taking turns."""

import asyncio
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.errors import PoolBusyError
from sandbox.host.box import Box, BoxState
from sandbox.host.box_limits import BoxLimits
from sandbox.host.box_slots import PATIENCE_SECONDS, BoxSlots
from sandbox.interface import BoxResources, BoxRole, BoxSpec, Source
from sandbox.settings import SandboxSettings
from tests.sandbox.clocks import HandClock, run_by_hand, settled
from tests.sandbox.guests import ToldBackend


class House:
    """Boxes under one cap. Those that are opened work on a call that does not end."""

    def __init__(self, most: int) -> None:
        self.clock = HandClock()
        self.boxes: list[Box] = []
        self.slots = BoxSlots(most, self.clock, lambda: self.boxes)
        self.opened: list[str] = []

    async def open(self, spec: BoxSpec, name: str = "", *, busy: bool = True) -> Box:
        async with self.slots.place(spec):
            box = await Box.open(
                ToldBackend(lambda *_: None),
                spec,
                lambda _: {},
                BoxLimits.of(SandboxSettings(grace_seconds=3600.0)),
                self.clock,
            )
            self.boxes.append(box)
            box.listen(self.ended, BoxState.DEAD)
        self.opened.append(name)
        if busy:
            box.start([[b""]], 0, 3600.0, lambda *_: None)
        return box

    def ended(self, box: Box) -> None:
        self.boxes.remove(box)
        self.slots.look()


def spec_of(role: BoxRole, source: Source | None = None) -> BoxSpec:
    return BoxSpec(role, BoxResources(role, 64), source)


@pytest.fixture
def packages(tmp_path: Path) -> list[BoxSpec]:
    code = "def verify(task, response):\n    return {'correct': 0.0}\n"
    return [spec_of(BoxRole.VERIFIER, Sample(code, name=f"p{i}").source(tmp_path)) for i in range(4)]


SOLUTION = spec_of(BoxRole.SOLUTION)


def test_the_last_place_is_for_a_solution_box(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(3)
        await house.open(packages[0])
        await house.open(packages[1])
        third = asyncio.ensure_future(house.open(packages[2], "third"))
        await settled()
        assert not third.done()
        await house.open(SOLUTION, "solution")
        assert house.opened[-1] == "solution"
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)

    run_by_hand(run())


def test_whoever_asked_first_is_served_first(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(2)
        box = await house.open(packages[0])
        asking = [asyncio.ensure_future(house.open(packages[i], str(i))) for i in (1, 2, 3)]
        await settled()
        for number in (1, 2, 3):
            await box.kill("done")
            await settled()
            assert house.opened[-1] == str(number)
            box = house.boxes[0]
        await asyncio.gather(*asking)

    run_by_hand(run())


def test_the_box_that_has_been_idle_longest_makes_way(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(3)
        oldest = await house.open(packages[0], busy=False)
        await house.clock.advance(1)
        newest = await house.open(packages[1], busy=False)
        third = asyncio.ensure_future(house.open(packages[2]))
        await settled()
        assert (oldest.state, newest.state) == (BoxState.DEAD, BoxState.IDLE)
        await third

    run_by_hand(run())


def test_a_box_that_is_idle_for_a_moment_is_not_ended(packages: list[BoxSpec]) -> None:
    """Between two groups, and before its first, it has nothing to do and is about to."""

    async def run() -> None:
        house = House(2)
        box = await house.open(packages[0], busy=False)
        waiting = asyncio.ensure_future(house.open(packages[1]))
        await house.clock.advance(0.05)
        assert box.state is BoxState.IDLE
        await house.clock.advance(0.1)
        assert box.state is BoxState.DEAD
        await waiting

    run_by_hand(run())


def test_nobody_waits_for_ever(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(2)
        await house.open(packages[0])
        waiting = asyncio.ensure_future(house.open(packages[1]))
        await house.clock.advance(PATIENCE_SECONDS + 1)
        with pytest.raises(PoolBusyError, match="2 boxes"):
            await waiting

    run_by_hand(run())


def test_a_release_that_holds_many_boxes_gives_one_up(packages: list[BoxSpec]) -> None:
    """It drains: what it has begun ends first."""

    async def run() -> None:
        house = House(5)
        held = [await house.open(packages[0]) for _ in range(4)]
        waiting = asyncio.ensure_future(house.open(packages[1], "other"))
        await settled()
        assert [box.state for box in held].count(BoxState.DRAINING) == 1
        assert not waiting.done()
        [draining] = [box for box in held if box.state is BoxState.DRAINING]
        await draining.kill("it has ended its call")
        await waiting
        assert house.opened[-1] == "other"

    run_by_hand(run())


def test_releases_that_hold_about_as_many_are_left_alone(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(4)
        for spec in (packages[0], packages[0], packages[1]):
            await house.open(spec)
        waiting = asyncio.ensure_future(house.open(packages[1]))
        await settled()
        assert all(box.state is BoxState.BUSY for box in house.boxes)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    run_by_hand(run())


def test_whoever_goes_away_while_it_waits_or_opens_leaves_no_hole(packages: list[BoxSpec]) -> None:
    async def run() -> None:
        house = House(2)
        box = await house.open(packages[0])
        for _ in range(5):
            gone = asyncio.ensure_future(house.open(packages[1]))
            await settled()
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        late = asyncio.ensure_future(house.open(packages[1]))
        await settled()
        killing = asyncio.ensure_future(box.kill("done"))
        await asyncio.sleep(0)  # it has begun, and granted the place
        late.cancel()  # in the same turn
        await asyncio.gather(killing, late, return_exceptions=True)
        assert late.cancelled()
        await house.open(packages[2], "last")
        assert house.opened[-1] == "last"

    run_by_hand(run())
