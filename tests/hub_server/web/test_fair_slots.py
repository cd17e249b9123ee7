"""Slots without an account: whoever brings many addresses, or streams that never end, keeps nobody else out."""

import asyncio
import ipaddress
import json
from collections.abc import AsyncGenerator
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import anyio
import pytest

from hub_server.settings import ExecutionSettings
from hub_server.web import senders
from hub_server.web.admission import Admission, Admissions
from hub_server.web.fair_slots import FairSlots, Held
from hub_server.web.senders import Sender
from hub_server.web.streams import LinesResponse
from tests.sandbox.clocks import run_without_waiting


def address(text: str) -> Sender:
    return Sender(f"address:{text}", is_account=False)


def hold(slots: FairSlots, *senders: Sender) -> list[Held]:
    """Slots of work that gives its slot back when it is asked to."""

    async def take() -> list[Held]:
        return [await one(slots, sender) for sender in senders]

    return run_without_waiting(take())


async def one(slots: FairSlots, sender: Sender, seconds: float = 10) -> Held:
    held = await slots.acquire(sender, anyio.current_time() + seconds)
    assert held is not None, sender
    held.end = lambda: asyncio.get_running_loop().call_soon(slots.release, held)
    return held


def holders(slots: FairSlots) -> list[str]:
    return sorted(held.sender.key for held in slots._held)


THREE = [address(f"203.0.{number}.7") for number in range(3)]


def test_three_addresses_that_hold_all_give_one_slot_to_a_newcomer_and_more_until_all_have_as_many() -> None:
    slots = FairSlots(24)
    held = hold(slots, *(THREE * 8))
    assert hold(slots, address("198.51.100.1"))
    assert [one.is_ending for one in held].count(True) == 1
    assert held[0].is_ending, "the oldest"
    hold(slots, *[address("198.51.100.1")] * 5)
    assert sorted(holders(slots).count(sender.key) for sender in (*THREE, address("198.51.100.1"))) == [6] * 4


@pytest.mark.parametrize("many", ["2001:db8:1:{:x}::", "203.0.113.{}"])
def test_many_addresses_of_one_network_count_as_one(many: str) -> None:
    slots = FairSlots(24)
    hold(slots, *(address(many.format(number)) for number in range(24)))
    hold(slots, *(address(f"2001:db8:{number}::") for number in range(2, 10)))
    assert sum(key.startswith("address:2001:db8:1:") or "203.0." in key for key in holders(slots)) == 16


def test_nobody_is_put_out_for_somebody_who_would_hold_as_many() -> None:
    slots = FairSlots(4)
    held = hold(slots, *(address(f"203.0.{number}.7") for number in range(4)))

    async def late() -> Held | None:
        return await slots.acquire(address("198.51.100.1"), anyio.current_time() + 10)

    assert run_without_waiting(late()) is None
    assert not any(one.is_ending for one in held)


def test_work_that_can_be_ended_only_later_is_ended_for_who_waits_already() -> None:
    """A stream says how it is ended only when it has begun. Who came just before waited until the next one came."""
    slots = FairSlots(4)

    async def main() -> None:
        held = [await slots.acquire(address("203.0.113.1"), 0) for _ in range(4)]
        tasks = [await waiting(slots, address(f"198.51.100.{number}")) for number in range(30)]
        for one in held:
            assert one is not None
            one.end = partial(asyncio.get_running_loop().call_soon, slots.release, one)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
        assert [one.is_ending for one in held if one is not None] == [True, True, False, False], "half for half"
        assert sum(one.done() for one in tasks) == 2
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_without_waiting(main())


def test_a_slot_that_is_asked_back_and_does_not_come_keeps_no_other_from_being_asked() -> None:
    """The oldest stream hung in a thread. It was counted on for as long as it hung, and nobody else was put out."""
    slots = FairSlots(3)

    async def main() -> None:
        stuck = await slots.acquire(address("203.0.113.1"), 0)
        assert stuck is not None
        stuck.end = lambda: None
        await one(slots, address("203.0.113.1"))
        await one(slots, address("203.0.113.1"))
        assert await slots.acquire(address("198.51.100.1"), anyio.current_time() + 10) is None
        assert await slots.acquire(address("198.51.100.1"), anyio.current_time() + 10) is not None

    run_without_waiting(main())


def test_within_a_network_addresses_share_in_the_same_way() -> None:
    slots = FairSlots(4)
    hold(slots, *[address("203.0.113.1")] * 4)
    hold(slots, address("203.0.113.2"))
    assert holders(slots) == ["address:203.0.113.1"] * 3 + ["address:203.0.113.2"]


def test_a_free_slot_goes_to_who_has_the_fewest_and_not_to_who_waited_first() -> None:
    slots = FairSlots(2)
    greedy, newcomer = address("203.0.113.1"), address("198.51.100.1")
    got: list[str] = []

    async def wait(sender: Sender) -> None:
        held = await one(slots, sender)
        got.append(sender.key)
        await asyncio.sleep(1)
        slots.release(held)

    async def main() -> None:
        first = await slots.acquire(greedy, 0)
        assert first is not None  # work in a thread, say: it cannot be ended
        assert await slots.acquire(greedy, 0) is not None
        async with asyncio.TaskGroup() as group:
            for sender in (greedy, greedy, newcomer):
                group.create_task(wait(sender))
                await asyncio.sleep(0)
            slots.release(first)

    run_without_waiting(main())
    assert got == [newcomer.key, greedy.key, greedy.key]


def test_who_gave_up_waiting_keeps_nothing() -> None:
    slots = FairSlots(1)

    async def main() -> None:
        held = await slots.acquire(address("203.0.113.1"), 0)
        assert held is not None
        assert await slots.acquire(address("198.51.100.1"), anyio.current_time() + 1) is None
        with anyio.move_on_after(1):
            await slots.acquire(address("198.51.100.1"), anyio.current_time() + 9)
        slots.release(held)
        assert slots.borrowed_tokens == 0
        given = asyncio.create_task(slots.acquire(address("198.51.100.2"), 0))
        assert await given is not None

    run_without_waiting(main())


async def waiting(slots: FairSlots, sender: Sender) -> "asyncio.Task[Held | None]":
    """Somebody who waits, and has begun to."""
    task = asyncio.create_task(slots.acquire(sender, anyio.current_time() + 10))
    await asyncio.sleep(0)
    return task


@pytest.mark.parametrize("many", ["2001:db8:1:{:x}::", "203.0.113.{}"])
def test_a_network_that_fills_the_queue_gives_its_last_place_to_another(many: str) -> None:
    """A thousand senders of one network waited, each of whom cost the hub 27 ms of CPU when the next one came."""
    slots = FairSlots(2)

    async def main() -> None:
        held = [await slots.acquire(address("198.51.100.1"), 0) for _ in range(2)]
        greedy = [await waiting(slots, address(many.format(number))) for number in range(32)]
        refused = await waiting(slots, address(many.format(99)))
        assert await refused is None, "the queue is full, and nobody has more in it"
        newcomer = await waiting(slots, address("192.0.2.1"))
        assert await greedy[-1] is None, "the last that came"
        assert sum(one.done() for one in greedy) == 1
        for one in held:
            slots.release(one)
        assert await newcomer is not None
        assert await greedy[0] is not None, "who came first of those with as many"
        for one in greedy:
            one.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        assert slots._waiting == []

    run_without_waiting(main())


def test_within_a_network_the_last_place_goes_to_who_has_fewer_and_nobody_else_pays_for_it() -> None:
    slots = FairSlots(1)

    async def main() -> None:
        await slots.acquire(address("198.51.100.1"), 0)
        others = [await waiting(slots, address("192.0.2.1")) for _ in range(7)]  # one address, so the most of one
        greedy = [await waiting(slots, address(f"203.0.113.{number % 3}")) for number in range(9)]
        newcomer = await waiting(slots, address("203.0.113.9"))
        await asyncio.wait(greedy, return_when=asyncio.FIRST_COMPLETED)
        assert [one.done() for one in others] == [False] * 7
        assert sum(one.done() for one in greedy) == 1
        assert not newcomer.done()
        for one in (*others, *greedy, newcomer):
            one.cancel()
        await asyncio.gather(*others, *greedy, newcomer, return_exceptions=True)
        assert slots._waiting == []

    run_without_waiting(main())


def test_a_crowded_queue_looks_up_no_network_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each arrival asked for the network of everybody who waits, which reads an address: 27 ms with a thousand."""
    slots, read = FairSlots(20), []
    monkeypatch.setattr(senders, "ipaddress", Counted(ipaddress, read))

    async def main() -> None:
        for _ in range(20):
            await slots.acquire(address("198.51.100.1"), 0)
        tasks = [await waiting(slots, address(f"2001:db8:{number:x}::")) for number in range(100)]
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_without_waiting(main())
    assert read.count("ip_network") == 120, "once for each who came"


class Counted:
    """A module, with a note of each name that is asked of it."""

    def __init__(self, module: ModuleType, asked: list[str]) -> None:
        self._module, self._asked = module, asked

    def __getattr__(self, name: str) -> Any:
        self._asked.append(name)
        return getattr(self._module, name)


async def crowded(*, is_slow_reader: bool) -> tuple[str, float, float]:
    """Three addresses with a stream in every slot, and one of another: what the first was told, who ended it and when
    the newcomer began.
    """
    settings = ExecutionSettings()
    admissions = Admissions.of(settings)
    app = SimpleNamespace(state=SimpleNamespace(admissions=SimpleNamespace(get=lambda: admissions)))
    began: list[float] = []
    got: dict[int, bytes] = dict.fromkeys(range(24), b"")
    ended: dict[int, float] = {}
    now = asyncio.get_running_loop().time

    async def endless(_streams: Admission) -> AsyncGenerator[bytes]:
        while True:
            await asyncio.sleep(5)
            yield b"{}\n"

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def stream(number: int) -> None:
        async def send(message: Any) -> None:
            if is_slow_reader and number == 0 and message.get("body"):
                await asyncio.sleep(59)
            got[number] += message.get("body", b"")

        scope = {"type": "http", "headers": [], "app": app, "state": {"sender": THREE[number % 3]}}
        await LinesResponse(endless, settings)(scope, receive, send)
        ended[number] = now()

    async def newcomer() -> None:
        await asyncio.sleep(7)
        async with admissions.streams.slot(address("198.51.100.1")):
            began.append(now())

    streams = [asyncio.create_task(stream(number)) for number in range(24)]
    await newcomer()
    for one_stream in streams:
        one_stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    (which,) = ended
    return got[which].decode(), ended[which], began[0]


def test_a_stream_whose_slot_is_asked_back_says_so_in_its_last_line() -> None:
    said, _, began = run_without_waiting(crowded(is_slow_reader=False))
    *lines, last = map(json.loads, said.splitlines())
    assert lines == [{}]
    assert last["problem"]["code"] == "busy"
    assert "your network holds more streams than theirs" in last["problem"]["detail"]
    assert began == 7


def test_a_reader_that_does_not_read_keeps_the_slot_for_two_seconds_only() -> None:
    said, ended_at, began = run_without_waiting(crowded(is_slow_reader=True))
    assert (said, ended_at, began) == ("", 9, 9)
