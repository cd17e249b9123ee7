"""Where a rate stands on the axis, and how thick its bar is: thicker means more cases."""

import math
from dataclasses import dataclass
from typing import Literal

from schemas.evidence.rates import Grade, Measurement, Rate
from schemas.measures.grades import GRADE_BOUNDS

Direction = Literal["left", "right"]

BANDS: tuple[tuple[Grade, float], ...] = (*GRADE_BOUNDS, (Grade.F, 1.0))
"""Upper end of each grade's band; F takes the rest of the axis."""
TICKS = (0.01, 0.10, 1.0)


def place(share: float) -> float:
    """Position of a rate on its half axis, 0 (no errors) to 1 (100 %).

    A cube root is used because it can show zero, as a logarithm cannot, and spreads the low rates, where verifiers
    differ.
    """
    return float(min(max(share, 0.0), 1.0) ** (1 / 3))


def across(share: float, direction: Direction) -> float:
    """Position in per cent of a whole calliper: zero in the middle, FNR to the left, FPR to the right."""
    return 50 - 50 * place(share) if direction == "left" else 50 + 50 * place(share)


def along(share: float, direction: Direction) -> float:
    """Position in per cent of a one-sided calliper: zero at the right end where it opens to the left."""
    return 100 - 100 * place(share) if direction == "left" else 100 * place(share)


def thickness(cases: int) -> float:
    """Height of the bar in pixels: 10 cases 3, 100 cases 6, 1 000 cases 9, at most 12."""
    return min(max(3.0, 3 * math.log10(cases)), 12.0) if cases else 3.0


@dataclass(frozen=True)
class Side:
    """One kind of error: the rate, how many of how many cases, and where it is drawn."""

    rate: Rate
    wrong: int
    cases: int
    direction: Direction

    @property
    def suffix(self) -> str:
        """The end of every class name of this side: ``fn`` or ``fp``."""
        return "fn" if self.direction == "left" else "fp"

    @property
    def name(self) -> str:
        """The side's name for screen readers."""
        return "false-negative rate" if self.direction == "left" else "false-positive rate"

    @property
    def is_measured(self) -> bool:
        """False while there is no case, whatever the numbers say."""
        return self.rate.value is not None and self.cases > 0


def sides(measurement: Measurement | None) -> tuple[Side, Side]:
    """Left (rejects right) and right (accepts wrong) side; open ones where nothing was measured."""
    if measurement is None:
        unknown = Rate(value=None, low=0.0, high=1.0)
        return Side(unknown, 0, 0, "left"), Side(unknown, 0, 0, "right")
    m = measurement
    return Side(m.fnr, m.fn, m.tp + m.fn, "left"), Side(m.fpr, m.fp, m.fp + m.tn, "right")
