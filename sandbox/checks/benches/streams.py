"""Measures the cost of sending items to another event loop and back: ``scripts/bench streams``.

Verihub's channel is compared with anyio's memory object streams. Those belong to one event loop, so a portal passes
their items to the other. CPU time of this process is measured, because it hardly depends on other load.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from sandbox.checks.benches.bench_command import bench_parser, run_bench
from sandbox.streams import Channel, across

_ITEMS = 20_000
_ROUNDS = 5
_SIZE = 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print microseconds of CPU time for each item."""
    parser = bench_parser("streams", __doc__)
    parser.add_argument("--items", type=int, default=_ITEMS)
    run_bench(parser, lambda options: measure(options.items), arguments, digits=2)


def measure(items: int) -> dict[str, float]:
    """The best of a few rounds, in which both alternate."""
    best: dict[str, float] = {}
    with start_blocking_portal() as portal:
        loop = portal.call(_loop)
        ways: dict[str, Callable[[], Coroutine[Any, Any, int]]] = {
            "channel_cpu_us_per_item": lambda: _by_channel(loop, items),
            "anyio_cpu_us_per_item": lambda: _by_anyio(portal, items),
            "anyio_lists_of_32_cpu_us_per_item": lambda: _by_anyio(portal, items, together=32),
        }
        for _ in range(_ROUNDS):
            for name, way in ways.items():
                began = time.process_time()
                assert asyncio.run(way()) == items
                best[name] = min(best.get(name, 1e9), (time.process_time() - began) / items * 1e6)
    best["channel_to_anyio_ratio"] = best["channel_cpu_us_per_item"] / best["anyio_cpu_us_per_item"]
    return best


async def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def _numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


async def _by_channel(loop: asyncio.AbstractEventLoop, items: int) -> int:
    async def echo(arriving: Channel[int], back: Channel[int]) -> None:
        async for one in arriving:
            await back.send(one)

    count = 0
    async with aclosing(across(loop, echo, _numbers(items), _SIZE)) as found:
        async for together in found:
            count += len(together)
    return count


async def _by_anyio(portal: BlockingPortal, items: int, together: int = 1) -> int:
    """With anyio: a memory object stream in each loop, and a call through a portal for each transfer."""
    count = 0
    async with aclosing(_crossing(portal, items, together)) as found:
        async for lists in found:
            count += len(lists)
    return count


async def _crossing(portal: BlockingPortal, items: int, together: int) -> AsyncGenerator[list[int]]:
    here_in, here_out = anyio.create_memory_object_stream[list[int]](_SIZE)
    there_in, there_out = portal.call(_stream)
    loop = asyncio.get_running_loop()

    async def send() -> None:
        part: list[int] = []
        async for number in _numbers(items):
            part.append(number)
            if len(part) == together:
                await asyncio.wrap_future(portal.start_task_soon(there_in.send, part))
                part = []
        if part:
            await asyncio.wrap_future(portal.start_task_soon(there_in.send, part))
        await asyncio.wrap_future(portal.start_task_soon(there_in.aclose))

    async def echo() -> None:
        async with there_out:
            await send_back()

    async def send_back() -> None:
        async for part in there_out:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(here_in.send(part), loop))
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(here_in.aclose(), loop))

    async with here_out, anyio.create_task_group() as group:
        group.start_soon(send)
        echoing = portal.start_task_soon(echo)
        async for part in here_out:
            yield part
        await asyncio.wrap_future(echoing)


async def _stream() -> Any:
    return anyio.create_memory_object_stream[list[int]](_SIZE)


if __name__ == "__main__":
    main()
