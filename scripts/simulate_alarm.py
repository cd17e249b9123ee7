"""What the alarm for reward hacking sees in runs of 20 to 200 steps, simulated: ``simulate_alarm.py [RUNS]``.

Each run has 8 prompts of 8 samples a step, unless a line says otherwise. Both verifiers judge the same samples. A
prompt's difficulty is drawn anew in each step, so that rewards of a step differ more than those of independent samples.
Without a hole the verifiers differ by their error rates alone. With one, a share of the samples uses it: accepted by
the training verifier, wrong for the held-out one. The seeds are fixed.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from schemas.measures.hacking_alarm import find_alarm

USUAL, SMALL = (8, 8), (2, 4)
"""Prompts a step, and samples of each."""
STEPS = (20, 50, 100, 200)
Numbers = np.ndarray


def run(
    random: np.random.Generator,
    steps: int,
    hole: Callable[[float], float],
    *,
    fpr: float = 0.0,
    fnr: float = 0.0,
    size: tuple[int, int] = USUAL,
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Training and held-out reward by step. ``hole``: place in the run (0 to 1) -> share of samples that use it.

    ``fpr``, ``fnr``: of the training verifier beside its hole. The held-out one has no FPR and an FNR of 2 %.
    """
    train, held = [], []
    for step in range(1, steps + 1):
        place = step / steps
        skill = 0.2 + 0.4 * place
        chance = random.beta(2 * skill, 2 * (1 - skill), size[0])[:, None]
        right = random.random(size) < chance
        used = random.random(size) < hole(place)
        errs = random.random(size)
        right &= ~used
        accepted = used | np.where(right, errs >= fnr, errs < fpr)
        strict = right & (random.random(size) >= 0.02)
        train.append((float(step), float(accepted.mean())))
        held.append((float(step), float(strict.mean())))
    return train, held


def raised(
    runs: int, steps: int, hole: Callable[[float], float], *, upper: float | None, **given: Any
) -> tuple[float, float, float]:
    """(share of runs with an alarm at the end, share with one at any look, median place of the first).

    There are fifty looks, at equal distances.
    """
    random, found, places = np.random.default_rng(0), 0, []
    looks = sorted({round(steps * look / 50) for look in range(1, 51)})
    for _ in range(runs):
        train, held = run(random, steps, hole, **given)
        found += find_alarm(train, held, upper) is not None
        first = next((k for k in looks if find_alarm(train[:k], held[:k], upper)), None)
        if first is not None:
            places.append(first / steps)
    return found / runs, len(places) / runs, float(np.median(places)) if places else math.nan


def rises_to(share: float, middle: float, width: float = 0.1) -> Callable[[float], float]:
    """A hole that is found around ``middle`` of the run; at its end ``share`` of the samples use it."""
    top = 1 / (1 + math.exp(-(1 - middle) / width))
    return lambda place: share / top / (1 + math.exp(-(place - middle) / width))


NO_HOLE: list[tuple[str, dict[str, Any]]] = [
    ("equal verifiers", {"upper": None}),
    ("equal verifiers, audited", {"upper": 0.02}),
    ("FPR 5 %, upper end 8 %", {"fpr": 0.05, "upper": 0.08}),
    ("FPR 12 %, upper end 15 %", {"fpr": 0.12, "upper": 0.15}),
    ("FPR 12 %, never audited", {"fpr": 0.12, "upper": None}),
    ("FNR 10 %", {"fnr": 0.10, "upper": 0.02}),
    ("FPR 5 %, 2 prompts of 4 samples", {"fpr": 0.05, "upper": 0.08, "size": SMALL}),
    ("FPR 12 %, never audited, 2 of 4", {"fpr": 0.12, "upper": None, "size": SMALL}),
]
HOLES = [
    ("half at the end, found half-way", rises_to(0.5, 0.5)),
    ("half at the end, found at 0.75", rises_to(0.5, 0.75)),
    ("half at the end, found at 0.9", rises_to(0.5, 0.9, 0.05)),
    ("a quarter at the end, found half-way", rises_to(0.25, 0.5)),
    ("a quarter at the end, found at 0.75", rises_to(0.25, 0.75)),
    ("a tenth at the end, found half-way", rises_to(0.1, 0.5)),
    ("half from the start on", lambda _: 0.5),
]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    head = " ".join(f"{steps:>6} steps" for steps in STEPS)
    print(f"alarm at any look, share of {runs} runs without a hole\n{'':40}{head}")
    for name, given in NO_HOLE:
        shares = [raised(runs, steps, lambda _: 0.0, **given)[1] for steps in STEPS]
        print(f"{name:40}" + " ".join(f"{share:12.3f}" for share in shares))
    print(f"\nalarm at the end (and median place of the first), with a hole\n{'':40}{head}")
    small = ("half at the end, half-way, 2 prompts of 4", HOLES[0][1], SMALL)
    for name, hole, size in [*((name, hole, USUAL) for name, hole in HOLES), small]:
        cells = [raised(runs, steps, hole, fpr=0.01, upper=0.03, size=size) for steps in STEPS]
        print(f"{name:40}" + " ".join(f"{share:5.2f} ({place:.2f})" for share, _, place in cells))


if __name__ == "__main__":
    main()
