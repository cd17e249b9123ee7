"""Round numbers for an axis."""

import math


def round_ticks(low: float, high: float, wanted: int = 4) -> list[float]:
    """Three to six multiples of 1, 2, 2.5 or 5 times a power of ten that enclose ``low`` and ``high``."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]
