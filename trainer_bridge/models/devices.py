"""Chooses device, number type and number of threads."""

import time

import torch

from trainer_bridge.errors import SettingsError


def pick_device(name: str) -> torch.device:
    """``auto``: CUDA if available, else the CPU. Raises SettingsError for a device that cannot be used."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise SettingsError(f"device {name!r} cannot be used here: {str(error).splitlines()[0]}") from None
    return device


def pick_dtype(name: str, device: torch.device, *, is_tiny: bool) -> torch.dtype:
    """``auto``: bfloat16 on accelerators, and on CPUs where a measurement shows it to be faster; else float32."""
    if name != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16}[name]
    if is_tiny:
        return torch.float32
    return torch.bfloat16 if device.type == "cuda" or _bfloat16_is_faster() else torch.float32


def _bfloat16_is_faster() -> bool:
    """Time one matrix product of a small model's size in both types: some CPUs emulate bfloat16, slowly."""
    return _product_seconds(torch.bfloat16) < 0.8 * _product_seconds(torch.float32)


def _product_seconds(dtype: torch.dtype) -> float:
    left, right = torch.ones(256, 576, dtype=dtype), torch.ones(576, 1536, dtype=dtype)
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        left @ right
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def pick_threads(most: int) -> int:
    """Set torch's threads to 1 or ``most``, whichever computes a chain of small products faster now. Returns the
    number.

    A parallel region waits for its slowest thread. So on cores that other processes use too, two threads can be several
    times slower than one. A run calls this before every step, because the load changes. With ``most`` 1 nothing is
    measured.
    """
    if most > 1:
        seconds = {threads: _chain_seconds(threads) for threads in (most, 1)}
        most = min(seconds, key=lambda threads: seconds[threads])
        torch.set_num_threads(most)
    return most


def _chain_seconds(threads: int) -> float:
    torch.set_num_threads(threads)
    states, weight = torch.ones(64, 576), torch.full((576, 576), 1e-3)
    start = time.perf_counter()
    for _ in range(60):
        states = torch.nn.functional.silu(states @ weight)
    return time.perf_counter() - start
