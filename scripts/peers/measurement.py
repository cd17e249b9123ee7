"""The measurement that all compared ways to a verdict share.

It uses the standard library only, so that any environment runs it.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

IN_FLIGHT = 32
ROUND_SECONDS = 2.0
ROUNDS = 3

EQUAL = 'import json,sys; c=json.loads(sys.argv[1]); print(float(c["response"]==c["answer"]))'
"""The cheap verifier as a program: one call in argv, the verdict on stdout."""

MATH = """
import json, sys
from math_verify import parse, verify
c = json.loads(sys.argv[1])
print(float(verify(parse(f"${c['answer']}$"), parse(c["response"]))))
"""

Judge = Callable[[int], Awaitable[float]]
"""The verdict on call ``number``: 1.0 for even numbers, 0.0 for odd ones, or the measurement is void."""


def call_of(number: int) -> dict[str, Any]:
    """A call that is right where ``number`` is even; readable by equality and by math-verify."""
    answer = str(17 * number + 3)
    return {"answer": answer, "response": answer if number % 2 == 0 else str(17 * number + 4)}


async def measure(
    judge: Judge, *, in_flight: int = IN_FLIGHT, rounds: int = ROUNDS, seconds: float = ROUND_SECONDS
) -> dict[str, float]:
    """Calls a second with ``in_flight`` calls at a time, the best of some rounds, and the median of one call alone."""
    alone: list[float] = []
    ending = time.perf_counter() + seconds / 2
    while len(alone) < 3 or time.perf_counter() < ending:
        started = time.perf_counter()
        await _checked(judge, len(alone))
        alone.append(time.perf_counter() - started)
    rates = [await _rate(judge, in_flight, seconds) for _ in range(rounds)]
    return {"calls_per_second": max(rates), "alone_ms": statistics.median(alone) * 1000}


async def _rate(judge: Judge, in_flight: int, seconds: float) -> float:
    started = time.perf_counter()
    ending = started + seconds
    done = 0

    async def work(number: int) -> None:
        nonlocal done
        while time.perf_counter() < ending:
            await _checked(judge, number)
            done += 1
            number += in_flight

    await asyncio.gather(*(work(number) for number in range(in_flight)))
    return done / (time.perf_counter() - started)


async def _checked(judge: Judge, number: int) -> None:
    verdict = await judge(number)
    if verdict != float(number % 2 == 0):
        raise AssertionError(f"call {number} got {verdict}: whatever was measured, it was not this verifier")


def report(figures: dict[str, Any]) -> None:
    """One line of JSON for the process that started this one."""
    print(json.dumps(figures), flush=True)
