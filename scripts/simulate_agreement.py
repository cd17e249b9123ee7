"""How often the 95 % interval of an agreement holds the truth, simulated: ``simulate_agreement.py [RUNS]``.

Three people label every question right or wrong, each of them correctly with chance 0.85. Both labels are equally
frequent, so the true alpha is (2 x 0.85 - 1) squared = 0.49. The seeds are fixed.
"""

import sys

import numpy as np

from hub_server.audits.rules.agreement import measure_agreement

CHANCE = 0.85
ALPHA = (2 * CHANCE - 1) ** 2
PEOPLE = 3


def coverage(questions: int, runs: int, seed: int = 0) -> float:
    """The share of ``runs`` whose interval over ``questions`` holds the true alpha; no interval does not hold it."""
    random = np.random.default_rng(seed)
    held = 0
    for run in range(runs):
        truth = random.random((questions, 1)) < 0.5
        said = truth ^ (random.random((questions, PEOPLE)) > CHANCE)
        answers = [(str(q), str(who), str(said[q, who])) for q in range(questions) for who in range(PEOPLE)]
        found = measure_agreement(answers, seed=run, fewest=2)
        held += found.low is not None and found.high is not None and found.low <= ALPHA <= found.high
    return held / runs


def main(runs: int) -> None:
    """Print the share for a few numbers of questions."""
    for questions in (5, 7, 10, 20, 50):
        print(f"{questions:>3} questions: {coverage(questions, runs):.0%} of {runs} intervals hold {ALPHA:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
