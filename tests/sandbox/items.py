"""Items that arrive one by one, for tests of streams."""


async def numbers(count):
    for number in range(count):
        yield number


async def collect(stream):
    return [one async for one in stream]
