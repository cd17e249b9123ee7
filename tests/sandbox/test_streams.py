"""Streams between threads and loops: everything once and in order, bounded, and no reader is ever left waiting."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing

import pytest

from sandbox import streams
from sandbox.streams import (
    Channel,
    StreamCutError,
    StreamLeftError,
    blocking,
    end_tasks,
    produced,
    produced_lists,
)


@pytest.fixture
def loop():
    """Another event loop, running in a thread."""
    other = asyncio.new_event_loop()
    thread = threading.Thread(target=other.run_forever, daemon=True)
    thread.start()
    yield other
    asyncio.run_coroutine_threadsafe(drained(), other).result()
    other.call_soon_threadsafe(other.stop)
    thread.join()
    other.close()


async def drained():
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)


async def numbers(count):
    for number in range(count):
        yield number


async def squares(arriving):
    async for number in arriving:
        yield number * number


def filled(compute):
    """``compute``, an async generator over the arriving items, as work that sends to a channel."""

    async def work(arriving, results):
        await results.fill(compute(aiter(arriving)))

    return work


def numbered(count):
    """Work that sends so many numbers."""
    return lambda results: results.fill(numbers(count))


def small():
    return Channel(2)


async def across(*arguments):
    """:func:`streams.across`, one by one."""
    async with aclosing(streams.across(*arguments)) as lists:
        async for together in lists:
            for one in together:
                yield one


async def collect(stream):
    return [one async for one in stream]


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


def test_across_gives_back_what_the_other_loop_makes(loop) -> None:
    for count in (0, 1, 500):
        assert asyncio.run(collect(across(loop, filled(squares), numbers(count), 4))) == [n * n for n in range(count)]


def test_two_hundred_streams_that_wait_for_each_other_all_end(loop) -> None:
    """With a thread parked for each stream, the first few would fill the pool and wait for ever."""

    async def work():
        gate = asyncio.Barrier(200)

        async def gated():
            await gate.wait()
            yield 3

        return await asyncio.gather(*(collect(across(loop, filled(squares), gated())) for _ in range(200)))

    assert asyncio.run(work()) == [[9]] * 200


def test_the_source_is_read_no_further_than_the_sizes_allow(loop) -> None:
    started = []

    async def noted():
        async for number in numbers(1000):
            started.append(number)
            yield number

    async def work():
        async with aclosing(across(loop, filled(squares), noted(), 4)) as stream:
            await anext(stream)
            await asyncio.sleep(0)
            ahead = len(started)
            rest = await collect(stream)
        return ahead, rest

    ahead, rest = asyncio.run(work())
    assert ahead < 4 * 4
    assert len(rest) == 999


@pytest.mark.parametrize("place", ["source", "compute", "compute at once"])
def test_an_error_of_either_side_is_raised_here(loop, place) -> None:
    async def source():
        yield 1
        if place == "source":
            raise ValueError("broken")

    async def breaks(arriving):
        async for number in arriving:
            yield number
            raise ValueError("broken")

    def breaks_at_once(arriving):
        raise ValueError("broken")

    compute = {"source": squares, "compute": breaks, "compute at once": breaks_at_once}[place]
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(collect(across(loop, filled(compute), source())))


def test_a_loop_that_is_closed_is_said_at_once() -> None:
    closed = asyncio.new_event_loop()
    closed.close()
    with pytest.raises(StreamCutError, match="closed"):
        asyncio.run(collect(across(closed, filled(squares), numbers(1))))


def test_work_that_is_cancelled_by_its_own_loop_does_not_leave_the_reader_waiting(loop) -> None:
    async def cancelled(arriving):
        async for number in arriving:
            asyncio.current_task().cancel()
            await asyncio.sleep(0)
            yield number

    with pytest.raises(StreamCutError):
        asyncio.run(collect(across(loop, filled(cancelled), numbers(3))))


def test_leaving_early_cancels_the_work_over_there(loop) -> None:
    cancelled = threading.Event()

    async def endless(arriving):
        try:
            async for number in arriving:
                yield number
        finally:
            cancelled.set()

    async def forever():
        while True:
            yield 1
            await asyncio.sleep(0)

    async def work():
        async with aclosing(across(loop, filled(endless), forever())) as stream:
            await anext(stream)

    asyncio.run(work())
    assert cancelled.wait(60)


def test_a_thread_reads_what_a_loop_makes_and_may_leave(loop) -> None:
    assert list(blocking(loop, numbered(100), small)) == list(range(100))
    with closing(blocking(loop, numbered(10**9), small)) as endless:
        assert next(endless) == 0

    async def breaks():
        yield 1
        raise ValueError("over there")

    with pytest.raises(ValueError, match="over there"):
        list(blocking(loop, lambda results: results.fill(breaks())))


def test_slow_threads_hold_no_thread_of_the_loop(loop) -> None:
    """A hundred readers that do not read, and one that does."""
    idle = [blocking(loop, numbered(10**9), small) for _ in range(100)]
    for stream in idle:
        next(stream)
    assert list(blocking(loop, numbered(50), small)) == list(range(50))
    for stream in idle:
        stream.close()


def test_produced_gives_what_is_sent_and_raises_the_first_error_of_a_group() -> None:
    async def produce(channel):
        async def send(number):
            await channel.send(number)

        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(send(number))

    async def breaks(channel):
        async def fail():
            raise ValueError("one of many")

        await channel.send(1)
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    assert sorted(asyncio.run(collect(produced(produce, small)))) == list(range(5))
    with pytest.raises(ValueError, match="one of many"):
        asyncio.run(collect(produced(breaks)))


def test_a_loop_that_ends_tells_every_reader_of_its_streams() -> None:
    other = asyncio.new_event_loop()
    thread = threading.Thread(target=other.run_forever, daemon=True)
    thread.start()

    async def waits():
        yield 1
        await asyncio.Event().wait()

    async def read():
        async with aclosing(across(other, filled(squares), waits())) as stream:
            assert await anext(stream) == 1
            ending = asyncio.run_coroutine_threadsafe(end_tasks(), other)
            with pytest.raises(StreamCutError):
                await anext(stream)
            await asyncio.wrap_future(ending)
            other.call_soon_threadsafe(other.stop)
            await asyncio.to_thread(thread.join)
            other.close()

    asyncio.run(read())


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


def test_lists_gather_what_comes_within_a_moment_and_end_with_the_work() -> None:
    async def work():
        async def send(channel):
            channel.put(1)
            await asyncio.sleep(0)
            channel.put(2)

        return [together async for together in produced_lists(send, gather_seconds=60)]

    assert asyncio.run(work()) == [[1, 2]]
