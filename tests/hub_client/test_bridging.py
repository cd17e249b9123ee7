import asyncio
import threading

import pytest

from hub_client.bridging import LoopBridge


@pytest.fixture
def run():
    """Blocks its thread until a coroutine has finished on another loop, as the sandbox does."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield lambda work: asyncio.run_coroutine_threadsafe(work, loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def numbers(count, started=None):
    for number in range(count):
        if started is not None:
            started.append(number)
        yield number


async def squares(arriving):
    async for number in arriving:
        await asyncio.sleep(0)
        yield number * number


def collect(stream):
    async def work():
        return [one async for one in stream()]

    return asyncio.run(work())


def test_everything_that_goes_over_comes_back(run) -> None:
    assert collect(lambda: LoopBridge(run, squares).stream(numbers(500))) == [n * n for n in range(500)]
    assert collect(lambda: LoopBridge(run, squares).stream(numbers(0))) == []


def test_the_source_is_read_no_further_than_the_room_allows(run) -> None:
    started = []

    async def work():
        stream = LoopBridge(run, squares, in_flight=4).stream(numbers(100, started))
        first = await anext(stream)
        await asyncio.sleep(0.05)
        ahead = len(started)
        rest = [one async for one in stream]
        return first, ahead, rest

    first, ahead, rest = asyncio.run(work())
    assert first == 0
    assert ahead <= 6
    assert len(rest) == 99


def test_a_failure_over_there_is_raised_here(run) -> None:
    async def fails(arriving):
        async for number in arriving:
            if number == 2:
                raise ValueError("over there")
            yield number

    with pytest.raises(ValueError, match="over there"):
        collect(lambda: LoopBridge(run, fails).stream(numbers(5)))


def test_a_failing_source_is_raised_too() -> None:
    async def broken():
        yield 1
        raise ValueError("at the source")

    def run_alone(work):
        asyncio.run(work)

    with pytest.raises(ValueError, match="at the source"):
        collect(lambda: LoopBridge(run_alone, squares).stream(broken()))


def test_another_loop_that_cannot_be_reached_does_not_hang() -> None:
    def refuses(work):
        work.close()
        raise RuntimeError("closed")

    with pytest.raises(RuntimeError, match="closed"):
        collect(lambda: LoopBridge(refuses, squares).stream(numbers(3)))


def test_leaving_early_cancels_the_work_over_there(run) -> None:
    cancelled = threading.Event()

    async def endless(arriving):
        try:
            async for number in arriving:
                yield number
                await asyncio.sleep(0)
        finally:
            cancelled.set()

    async def work():
        async def forever():
            number = 0
            while True:
                yield number
                number += 1
                await asyncio.sleep(0)

        stream = LoopBridge(run, endless).stream(forever())
        await anext(stream)
        await stream.aclose()

    asyncio.run(work())
    assert cancelled.wait(5)
