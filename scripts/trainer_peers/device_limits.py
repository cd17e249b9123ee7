"""What the device does at most here, measured in turn with the trainers' steps, for ``scripts/bench trainer``.

One thread on a CPU is timed by its own CPU time, which other load hardly changes; everything else by wall clock.
"""

import time
from collections.abc import Callable

import torch
import work

TIMES = 5
_MEGABYTES = 256
_SIZES = {"cpu": (512, 1024)}
_LARGE_SIZES = (4096, 8192)
Clock = Callable[[], float]


def limits(device: str, number_type: torch.dtype, clock: Clock) -> dict[str, float]:
    """Bytes a second of reading memory, and products a second of the fastest matrix product of this number type."""
    kind = device.partition(":")[0]
    source = torch.ones(_MEGABYTES * 2**18, device=device)
    target = torch.empty_like(source)
    copied = 2 * source.nbytes / fastest(lambda: target.copy_(source), clock)
    read = source.nbytes / fastest(source.sum, clock)
    speeds = []
    for size in _SIZES.get(kind, _LARGE_SIZES):
        left = torch.ones(size, size, dtype=number_type, device=device)
        speeds.append(2 * size**3 / fastest(left.matmul, clock, left))
    return {"bytes_per_second": max(copied, read), "flops_per_second": max(speeds)}


def fastest(action: Callable[..., object], clock: Clock, *given: object, times: int = TIMES) -> float:
    """Seconds of the fastest of several calls, by ``clock``; one call before them warms up."""
    action(*given)
    found = []
    for _ in range(times):
        start = clock()
        action(*given)
        found.append(clock() - start)
    return min(found)


def clock_of(name: str, device: str) -> Clock:
    """``cpu``: this thread's CPU time. ``wall``: the time that passes until the device has finished."""
    if name == "cpu":
        return time.thread_time
    if not device.startswith("cuda"):
        return time.perf_counter

    def finished() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return finished


def main() -> None:
    """Measure once for each line of the driver."""
    given = work.options()
    torch.set_num_threads(given.threads)
    gate, clock = work.Gate(given.device), clock_of(given.clock, given.device)
    for _ in range(given.steps):
        gate.begin()
        gate.end(0.0, limits=limits(given.device, getattr(torch, given.dtype), clock))


if __name__ == "__main__":
    main()
