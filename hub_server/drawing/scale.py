"""Where a rate stands on the axis, how thick its evidence is, and how certain a count is."""

import math
from dataclasses import dataclass
from typing import Literal

from schemas.audit import Grade, Measurement, Rate

Direction = Literal["left", "right"]

# Upper end of each grade's band, as a share; F takes the rest of the axis.
BANDS: tuple[tuple[Grade, float], ...] = (
    (Grade.A, 0.01),
    (Grade.B, 0.03),
    (Grade.C, 0.10),
    (Grade.D, 0.30),
    (Grade.F, 1.0),
)
TICKS = (0.01, 0.10, 1.0)
_Z_95 = 1.959963984540054


def place(share: float) -> float:
    """Position of a rate on its half axis, 0 (no errors) to 1 (100 %).

    The cube root shows zero, which a logarithm cannot, and spreads the low end, where verifiers differ.
    """
    return float(min(max(share, 0.0), 1.0) ** (1 / 3))


def across(share: float, direction: Direction) -> float:
    """Position in per cent of a whole calliper: zero in the middle, FNR to the left, FPR to the right."""
    return 50 - 50 * place(share) if direction == "left" else 50 + 50 * place(share)


def along(share: float, direction: Direction) -> float:
    """Position in per cent of a half calliper: zero at the right end where it opens to the left."""
    return 100 - 100 * place(share) if direction == "left" else 100 * place(share)


def thickness(cases: int) -> float:
    """Height of the bar in pixels: 10 cases 3, 100 cases 6, 1 000 cases 9, at most 12."""
    return min(max(3.0, 3 * math.log10(cases)), 12.0) if cases else 3.0


def wilson(wrong: int, cases: int) -> Rate:
    """The share ``wrong / cases`` with its 95 % Wilson score interval (Wilson 1927); 0 to 1 without cases."""
    if cases == 0:
        return Rate(value=None, low=0.0, high=1.0)
    share = wrong / cases
    weight = _Z_95**2 / cases
    centre = (share + weight / 2) / (1 + weight)
    half = _Z_95 * math.sqrt(share * (1 - share) / cases + weight / (4 * cases)) / (1 + weight)
    return Rate(
        value=share,
        low=0.0 if wrong == 0 else max(0.0, centre - half),
        high=1.0 if wrong == cases else min(1.0, centre + half),
    )


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
        """What readers' tools say."""
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


def grade_of(measurement: Measurement | None) -> Grade:
    """The grade of the wider jaw; U unless both sides have cases. The audit's own rule, for its slices and rewards."""
    left, right = sides(measurement)
    if not (left.is_measured and right.is_measured):
        return Grade.UNMEASURED
    widest = max(left.rate.high, right.rate.high)
    return next(grade for grade, limit in BANDS if widest <= limit)
