"""Round numbers for an axis."""

import math

_LARGEST = 1e100
"""The span between the largest floats is no float, and that between the smallest has no logarithm."""


def round_ticks(low: float, high: float, wanted: int = 4) -> list[float]:
    """Three to six multiples of 1, 2, 2.5 or 5 times a power of ten that enclose ``low`` and ``high``.

    Strangers choose the figures. What is larger than ``_LARGEST`` lies beyond the last tick.
    """
    low, high = (max(-_LARGEST, min(_LARGEST, end)) for end in (low, high))
    if high - low < 1 / _LARGEST:
        high = low + max(abs(low), 1 / _LARGEST) if low else 1.0
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]
