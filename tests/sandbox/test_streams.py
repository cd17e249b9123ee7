"""Work of another event loop, read here: its items, its errors, its end, and what happens when a side leaves."""

import asyncio
import threading
from contextlib import aclosing, closing

import pytest

from sandbox import streams
from sandbox.streams import Channel, StreamCutError, blocking, end_tasks, produced, produced_lists
from tests.sandbox.items import collect, numbers


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


def test_lists_gather_what_comes_within_a_moment_and_end_with_the_work() -> None:
    async def work():
        async def send(channel):
            channel.put(1)
            await asyncio.sleep(0)
            channel.put(2)

        return [together async for together in produced_lists(send, gather_seconds=60)]

    assert asyncio.run(work()) == [[1, 2]]
