"""What the device does at most here, measured in turn with the trainers' steps, for ``scripts/bench trainer``.

Two kinds: speeds of the device (``limits``), and what the model's bare matrix products take (``floors``).

One thread on a CPU is timed by its own CPU time, which other load hardly changes; everything else by wall clock.
"""

import time
from collections import Counter
from collections.abc import Callable

import torch
import work

TIMES = 5
_MEGABYTES = 256
_SIZES = {"cpu": (512, 1024)}
_LARGE_SIZES = (4096, 8192)
_TOKENS = 256
"""Of a micro-batch, as on a CPU."""
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
        left = torch.randn(size, size, dtype=number_type, device=device)  # products of ones are faster on a GPU
        speeds.append(2 * size**3 / fastest(left.matmul, clock, left))
    return {"bytes_per_second": max(copied, read), "flops_per_second": max(speeds)}


def floors(model: str, rows: int, device: str, number_type: torch.dtype, clock: Clock) -> dict[str, float]:
    """What the model's own matrix products take, and nothing else: no attention, no softmax, no optimizer.

    Each layer's product at the sizes at which a trainer runs it, so a small layer counts as slow as it is:
    ``forward_seconds_per_token`` and ``train_seconds_per_token`` (with both products of the backward pass) over 256
    tokens at once, and ``decode_seconds_per_step`` for one token of each of ``rows``.
    """
    found = dict.fromkeys(("forward_seconds_per_token", "train_seconds_per_token", "decode_seconds_per_step"), 0.0)
    for (outputs, inputs), count in shapes_of(model).items():
        weight = torch.ones(outputs, inputs, dtype=number_type, device=device)
        tokens = torch.ones(_TOKENS, inputs, dtype=number_type, device=device)
        slopes = torch.ones(_TOKENS, outputs, dtype=number_type, device=device)
        forward = fastest(lambda weight=weight, tokens=tokens: tokens @ weight.T, clock, times=2)
        back = fastest(lambda weight=weight, slopes=slopes: slopes @ weight, clock, times=2)
        back += fastest(lambda tokens=tokens, slopes=slopes: slopes.T @ tokens, clock, times=2)
        found["forward_seconds_per_token"] += count * forward / _TOKENS
        found["train_seconds_per_token"] += count * (forward + back) / _TOKENS
        few = tokens[:1].expand(rows, -1).contiguous()
        found["decode_seconds_per_step"] += count * fastest(
            lambda weight=weight, few=few: few @ weight.T, clock, times=2
        )
    return found


def shapes_of(model: str) -> Counter[tuple[int, int]]:
    """How often a step multiplies by a weight of each shape [outputs, inputs]; a tied head counts as a layer."""
    from transformers import AutoConfig, AutoModelForCausalLM  # noqa: PLC0415 -- seconds

    with torch.device("meta"):
        made = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(model))
    linear = [module for module in made.modules() if isinstance(module, torch.nn.Linear)]
    return Counter((module.out_features, module.in_features) for module in linear)


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
        number_type = getattr(torch, given.dtype)
        found = limits(given.device, number_type, clock)
        gate.end(0.0, limits=found | floors(given.model, given.rows, given.device, number_type, clock))


if __name__ == "__main__":
    main()
