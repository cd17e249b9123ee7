"""How far two readers of the same flagged verdicts agree, and what was settled where they do not."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.audit.differential import cohens_kappa
from scripts.field_study.readings import Reading, key

SEED, DRAWS = 20261127, 2000


@dataclass(frozen=True)
class Agreement:
    """``both``: verdicts that both read. ``kappa`` takes each finding as the blame holding or not; null: undefined."""

    both: int
    same: int
    kappa: float | None
    low: float | None
    high: float | None


def agreement(first: Sequence[Reading], second: Sequence[Reading]) -> Agreement:
    """Cohen's kappa with a 95 % interval: lists of failures are drawn again, because alike verdicts stand in one."""
    pairs = _pairs(first, second)
    groups: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for one, two in pairs:
        groups[one["list"]].append((_holds(one), _holds(two)))
    known, rng = list(groups.values()), random.Random(SEED)  # noqa: S311 -- an interval that comes out the same again
    drawn = [cohens_kappa([pair for group in rng.choices(known, k=len(known)) for pair in group]) for _ in range(DRAWS)]
    there = sorted(one for one in drawn if one is not None)
    low, high = (there[int(len(there) * 0.025)], there[int(len(there) * 0.975)]) if there else (None, None)
    same = sum(one["found"] == two["found"] for one, two in pairs)
    return Agreement(len(pairs), same, cohens_kappa([pair for group in known for pair in group]), low, high)


def differing(first: Sequence[Reading], second: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Both readings of each verdict on which the readers differ."""
    return [(one, two) for one, two in _pairs(first, second) if one["found"] != two["found"]]


def after_settling(readings: Sequence[Reading], settled: Sequence[Mapping[str, Any]]) -> list[Reading]:
    """The readings, with what was settled in place of what one reader found."""
    found = {key(one): one["found"] for one in settled}
    return [one | {"found": found.get(key(one), one["found"])} for one in readings]


def _pairs(first: Sequence[Reading], second: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    others = {key(one): one for one in second}
    return [(one, others[key(one)]) for one in first if key(one) in others]


def _holds(reading: Reading) -> bool:
    return bool(reading["found"] == "wrong")
