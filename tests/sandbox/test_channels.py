"""A channel: everything once and in order, bounded, and neither its senders nor its receiver are left waiting."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.streams import Channel, StreamCutError, StreamLeftError
from tests.sandbox.items import collect, numbers


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("sender", ["loop", "thread"])
@pytest.mark.parametrize("receiver", ["loop", "thread"])
def test_everything_arrives_once_and_in_order(size, sender, receiver, loop) -> None:
    channel = Channel(size)
    with ThreadPoolExecutor(1) as pool:
        if sender == "loop":
            asyncio.run_coroutine_threadsafe(channel.fill(numbers(500)), loop)
        else:
            pool.submit(channel.fill_blocking, range(500))
        found = asyncio.run(collect(channel)) if receiver == "loop" else list(channel)
    assert found == list(range(500))


def test_many_senders_and_receivers_share_a_channel(loop) -> None:
    channel, ended = Channel(2), Channel(100)
    with ThreadPoolExecutor(12) as pool:
        senders = [pool.submit(lambda start=start: [channel.send_blocking(start + n) for n in range(50)])
                   for start in range(0, 200, 50)]  # fmt: skip
        readers = [pool.submit(lambda: [ended.put(one) for one in channel]) for _ in range(2)]
        there = asyncio.run_coroutine_threadsafe(collect(channel), loop)
        for sender in senders:
            sender.result()
        channel.close()
        for reader in readers:
            reader.result()
        rest = there.result()
    ended.close()
    assert sorted([*ended, *rest]) == list(range(200))


def test_a_full_channel_keeps_its_sender_waiting() -> None:
    async def work():
        channel = Channel(2)
        filling = asyncio.create_task(channel.fill(numbers(10)))
        for _ in range(20):
            await asyncio.sleep(0)
        held = await channel.take(limit=100)
        filling.cancel()
        return held

    assert asyncio.run(work()) == [0, 1]


def test_an_error_comes_after_what_was_sent_before_it() -> None:
    async def breaks():
        yield 1
        raise ValueError("at the source")

    async def work():
        channel = Channel()
        await channel.fill(breaks())
        assert await channel.take() == [1]
        with pytest.raises(ValueError, match="at the source"):
            await channel.take()

    asyncio.run(work())


def test_a_sender_that_is_cancelled_ends_the_stream_with_an_error() -> None:
    async def work():
        channel, forever = Channel(), asyncio.Event()

        async def waits():
            await forever.wait()
            yield 1

        filling = asyncio.create_task(channel.fill(waits()))
        await asyncio.sleep(0)
        filling.cancel()
        with pytest.raises(StreamCutError):
            await channel.take()

    asyncio.run(work())


def test_when_the_receiver_leaves_its_waiting_sender_stops_and_the_source_is_closed() -> None:
    closed = []

    async def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    async def work():
        channel = Channel(1)
        filling = asyncio.create_task(channel.fill(endless()))
        await channel.take()
        channel.leave()
        await filling
        with pytest.raises(StreamLeftError):
            await channel.send(1)

    asyncio.run(work())
    assert closed == [True]


def test_a_thread_that_waits_to_send_is_woken_when_the_receiver_leaves() -> None:
    channel = Channel(1)
    with ThreadPoolExecutor(1) as pool:
        filling = pool.submit(channel.fill_blocking, iter(int, 1))
        channel.take_blocking()
        channel.leave()
        filling.result()


def test_a_cancelled_receiver_loses_nothing() -> None:
    async def work():
        channel = Channel()
        waiting = asyncio.create_task(channel.take())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        channel.put(7)
        return await channel.take(), channel._receivers, channel._senders

    assert asyncio.run(work()) == ([7], [], [])


def test_a_burst_wakes_another_thread_once_a_turn_and_a_single_item_at_once(loop, monkeypatch) -> None:
    """Each wake is a system call and a change of threads."""
    wakes = []
    monkeypatch.setattr(loop, "_write_to_self", lambda real=loop._write_to_self: (wakes.append(1), real()))

    async def work():
        channel = Channel()
        reading = asyncio.run_coroutine_threadsafe(collect(channel), loop)
        await channel.fill(numbers(1000))
        return await asyncio.wrap_future(reading)

    assert asyncio.run(work()) == list(range(1000))
    assert len(wakes) < 100


def test_items_that_are_put_together_wake_their_reader_once_and_weigh_what_they_weigh(loop, monkeypatch) -> None:
    channel: Channel[str] = Channel(weigh=len)
    reading = asyncio.run_coroutine_threadsafe(channel.take(), loop)
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result()  # it waits
    wakes = []
    monkeypatch.setattr(loop, "_write_to_self", lambda real=loop._write_to_self: (wakes.append(1), real()))
    channel.put_all(["a", "bb", "ccc"])
    assert reading.result() == ["a", "bb", "ccc"]
    channel.put_all(["dd", "e"])
    assert (len(wakes), channel.weight) == (1, 3)
    channel.leave()
    with pytest.raises(StreamLeftError):
        channel.put_all(["f"])


def test_a_source_that_never_gives_its_loop_a_turn_is_read_all_the_same(loop) -> None:
    """A generator that computes between its items: what it made is judged meanwhile, not at its end."""
    seen = threading.Event()

    async def note(channel):
        await channel.take()
        seen.set()

    async def computes():
        yield 1
        assert seen.wait(60)  # holds the loop
        yield 2

    async def work():
        channel = Channel()
        reading = asyncio.run_coroutine_threadsafe(note(channel), loop)
        await asyncio.to_thread(lambda: [None for _ in iter(lambda: bool(channel._receivers), True)])
        await channel.fill(computes())
        await asyncio.wrap_future(reading)

    asyncio.run(work())


def test_what_is_closed_at_once_after_a_burst_still_wakes_its_reader(loop) -> None:
    """The loop of the sender ends before its next turn."""
    for _ in range(50):
        channel = Channel()
        reading = asyncio.run_coroutine_threadsafe(collect(channel), loop)
        asyncio.run(channel.fill(numbers(3)))
        assert reading.result() == [0, 1, 2]


def test_a_channel_weighs_what_lies_in_it() -> None:
    async def work():
        channel = Channel(weigh=len)
        for text in ("a", "bb", "ccc"):
            channel.put(text)
        weights = [channel.weight]
        waiting = asyncio.create_task(channel.wait_until(lambda: channel.weight <= 3))
        await asyncio.sleep(0)
        assert not waiting.done()
        await channel.take(2)
        weights.append(channel.weight)
        await waiting
        channel.take_now()
        channel.put("dddd")
        channel.leave()
        return [*weights, channel.weight]

    assert asyncio.run(work()) == [6, 3, 0]


def test_whoever_waits_for_room_is_told_when_the_reader_leaves() -> None:
    async def work():
        channel = Channel()
        channel.put(1)
        waiting = asyncio.create_task(channel.wait_until(lambda: channel.unread == -1))
        await asyncio.sleep(0)
        channel.leave()
        with pytest.raises(StreamLeftError):
            await waiting

    asyncio.run(work())
