"""Slots without an account under hundreds of arrivals, ends, refusals and cancellations in any order: none is lost."""

import asyncio
import random
from collections import Counter
from functools import partial

import anyio
import pytest

from hub_server.web.fair_slots import FairSlots, Held
from tests.hub_server.web.test_fair_slots import address
from tests.sandbox.clocks import run_without_waiting

COUNT = 6


async def work(slots: FairSlots, luck: random.Random, network: int, got: Counter[int]) -> None:
    """One request of an address of one of few networks; some end when asked, some late, some never say how to end."""
    sender = address(f"203.0.{network}.{luck.randrange(3)}")
    held = await slots.acquire(sender, anyio.current_time() + luck.uniform(0, 5))
    if held is None:
        return
    got[network] += 1
    try:
        ended = asyncio.Event()
        kind = luck.random()
        if kind < 0.5:
            held.end = ended.set
        elif kind < 0.7:
            held.end = lambda: None  # it hangs
        await asyncio.sleep(luck.uniform(0, 0.5))
        if kind >= 0.7:
            held.end = ended.set
        await asyncio.wait_for(ended.wait(), luck.uniform(0.1, 30))
    except TimeoutError:
        pass
    finally:
        slots.release(held)


def check(slots: FairSlots) -> None:
    assert len(slots._held) <= COUNT
    assert len(slots._waiting) <= COUNT * 16
    assert not slots._waiting or len(slots._held) == COUNT, "somebody waits beside a free slot"
    assert len(set(map(id, slots._held))) == len(slots._held)


@pytest.mark.parametrize("seed", range(12))
def test_no_slot_is_lost_and_nobody_waits_beside_a_free_one(seed: int) -> None:
    luck, slots, got = random.Random(seed), FairSlots(COUNT), Counter[int]()

    async def main() -> None:
        tasks: list[asyncio.Task[None]] = []
        for _ in range(400):
            tasks.append(asyncio.create_task(work(slots, luck, min(luck.randrange(12), 3), got)))
            await asyncio.sleep(luck.choice([0, 0, 0.05, 0.5]))
            if luck.random() < 0.1:
                luck.choice(tasks).cancel()
            check(slots)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (slots._held, slots._waiting) == ([], [])

    run_without_waiting(main())
    assert all(got[network] for network in range(3)), "a network that asks less is served too"


def test_a_slot_that_is_given_to_who_is_cancelled_in_that_very_moment_goes_on() -> None:
    slots = FairSlots(1)

    async def main() -> None:
        held = await slots.acquire(address("203.0.113.1"), 0)
        assert held is not None
        gone, next_one = [asyncio.create_task(slots.acquire(address(f"198.51.{n}.1"), 10)) for n in range(2)]
        await asyncio.sleep(0)
        slots.release(held)
        gone.cancel()
        got = await next_one
        assert got is not None
        assert anyio.current_time() < 1, "at once"
        slots.release(got)
        await asyncio.gather(gone, return_exceptions=True)
        assert (slots._held, slots._waiting) == ([], [])

    run_without_waiting(main())


def test_one_network_that_floods_holds_no_more_than_its_share_of_what_can_be_ended() -> None:
    """A hundred addresses of one network against one of each of two others, all of whose work can be ended."""
    slots = FairSlots(COUNT)

    async def hold(sender_text: str) -> Held | None:
        held = await slots.acquire(address(sender_text), anyio.current_time() + 20)
        if held is not None:
            held.end = partial(asyncio.get_running_loop().call_soon, slots.release, held)
        return held

    async def main() -> None:
        flood = [asyncio.create_task(hold(f"203.0.113.{number}")) for number in range(100)]
        await asyncio.sleep(0.1)
        others = [asyncio.create_task(hold(f"198.51.{number % 2}.1")) for number in range(4)]
        await asyncio.sleep(1)
        held = Counter(one.sender.network for one in slots._held)
        assert len(held) == 3
        assert set(held.values()) == {2}
        for task in (*flood, *others):
            task.cancel()
        await asyncio.gather(*flood, *others, return_exceptions=True)

    run_without_waiting(main())
