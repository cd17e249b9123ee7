"""How often the whole path from cases to the letter is wrong, simulated: ``python -m scripts.simulate_grades [DRAWS]``.

Each draw is an audit (``run_audit``) of a verifier whose error rates are known, on 5 to 50 clusters a side. Two kinds
of clusters are drawn, hard and easy ones, so that errors have the wanted rate and intraclass correlation. A cluster
belongs to one origin: held by the hub, a suite of the hub's own, another owner's suite, seconded counter-examples or
labelled rollouts. In every second draw the author adds 300 cases of its own without an error. Responses share no words,
so that the clusters are the ones that are declared.

Printed are how often the interval of the pooled evidence holds the true rate, how often its upper end does, and how
often the letter is better than the true rates deserve. Every number can be had again: the seed is fixed.
"""

import asyncio
import hashlib
import math
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sandbox.audit import run_audit
from sandbox.interface import Call, Source
from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from schemas.manifest import Isolation, Manifest
from schemas.measures.grades import grade_within, is_worse
from schemas.measures.owners import HUB
from schemas.verdict import Verdict

CLUSTERS = (5, 10, 20, 50)
ALIKE = (0.1, 0.3, 0.5)
RATES = (0.002, 0.035, 0.11, 0.33)
"""All but the first lie a little above what a B, a C and a D allow: there a better letter is likeliest."""
MEAN_SIZE = 10
_OWN_EASY = 300
_ORIGINS: tuple[tuple[Origin, str, str], ...] = (
    (Origin.HELD, "suites/one", HUB),
    (Origin.SUITE, "suites/one", HUB),
    (Origin.SUITE, "bo/two", "bo"),
    (Origin.COMMUNITY, "", ""),
    (Origin.ROLLOUT, "", ""),
)
"""Origin, suite and owner."""
_ORIGIN_WEIGHTS = (0.35, 0.2, 0.3, 0.1, 0.05)
_MANIFEST = Manifest.from_toml(
    'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
)
SOURCE = Source(digest="sha256:" + "0" * 64, wheel=Path("own.whl"), manifest=_MANIFEST)


@dataclass(frozen=True)
class Shape:
    """What is drawn. ``rates``: of wrong answers accepted and of right ones rejected."""

    clusters: int
    alike: float
    rates: tuple[float, float]
    is_unequal: bool
    is_graded: bool


@dataclass
class Counts:
    """What came out of the draws of some shapes."""

    rates: int = 0
    held: int = 0
    held_above: int = 0
    without_errors: int = 0
    held_without_errors: int = 0
    letters: int = 0
    better: int = 0
    hollow_better: int = 0
    """Better than deserved, and hollow: few cases that are not the author's, as the page says of such a letter."""
    unrated: int = 0

    def add(self, other: "Counts") -> None:
        """Sum both."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Table:
    """A judge that returns what was drawn for each response."""

    rewards: dict[str, float] = field(default_factory=dict)

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Any]:
        """A verdict for each call, in order."""
        del source, isolation
        for call in calls:
            yield _Judged(call.id, Verdict(rewards={"correct": self.rewards[call.response or ""]}))

    async def image_digest(self, source: Source) -> str:
        """No image."""
        return source.digest

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Nothing is generated."""
        del source, entry, split, count, start, seed
        return []


@dataclass(frozen=True)
class _Judged:
    id: str
    verdict: Verdict
    milliseconds: float = 0.0


def chances(random: np.random.Generator, count: int, rate: float, alike: float) -> np.ndarray:
    """The chance of an error in each cluster: hard ones and easy ones, with this mean and intraclass correlation.

    How many are hard is drawn too, between the bounds at which both chances lie in 0..1.
    """
    variance = alike * rate * (1 - rate)
    most = rate**2 / (rate**2 + variance)  # beyond it easy ones would err less than never
    least = variance / ((1 - rate) ** 2 + variance)
    hard = math.exp(random.uniform(math.log(least), math.log(most)))
    high = rate + math.sqrt(variance * (1 - hard) / hard)
    low = rate - math.sqrt(variance * hard / (1 - hard))
    return np.clip(np.where(random.random(count) < hard, high, low), 0.0, 1.0)


def sizes(random: np.random.Generator, shape: Shape) -> list[int]:
    """Cases of each cluster: equal, or shares of a whole that is broken at random places."""
    if not shape.is_unequal:
        return [MEAN_SIZE] * shape.clusters
    shares = random.dirichlet(np.full(shape.clusters, 0.7))
    return [1 + int(one) for one in np.floor(shares * shape.clusters * (MEAN_SIZE - 1))]


def drawn(random: np.random.Generator, shape: Shape) -> tuple[list[AuditCase], Table]:
    """The cases of one audit, and the judge that errs on them as was drawn."""
    judge = Table()
    cases: list[AuditCase] = []
    for label, rate in zip((Label.INCORRECT, Label.CORRECT), shape.rates, strict=True):
        for cluster, (size, chance) in enumerate(
            zip(sizes(random, shape), chances(random, shape.clusters, rate, shape.alike), strict=True)
        ):
            origin, suite, owner = _ORIGINS[random.choice(len(_ORIGINS), p=_ORIGIN_WEIGHTS)]
            for is_error in random.random(size) < chance:
                name = f"{label}-{cluster}"
                case = _case(len(cases), label, origin, suite, owner, name)
                judge.rewards[case.response or ""] = _reward(
                    random, shape, accepts=(label is Label.CORRECT) != is_error
                )
                cases.append(case)
    return cases, judge


def with_easy_ones(cases: Sequence[AuditCase], judge: Table) -> list[AuditCase]:
    """The same and cases of the author's that the verifier gets right."""
    found = list(cases)
    for label in Label:
        for number in range(_OWN_EASY):
            case = _case(len(found), label, Origin.AUTHOR, "", "", f"own-{label}-{number}")
            judge.rewards[case.response or ""] = float(label is Label.CORRECT)
            found.append(case)
    return found


def _case(number: int, label: Label, origin: Origin, suite: str, owner: str, cluster: str) -> AuditCase:
    return AuditCase(
        id=f"c{number}",
        task={"id": f"t{number}", "prompt": f"Question {number}?", "answer": _words(f"answer {number}", 1)},
        response=_words(f"response {number}", 8),
        label=label,
        origin=origin,
        first_look=origin is Origin.HELD,
        tags=[f"suite:{suite}"] if suite else [],
        behind=owner,
        cluster=cluster,
    )


def _words(key: str, count: int) -> str:
    """Words that no other response has."""
    digits = hashlib.sha256(key.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return " ".join(digits[at * 8 : at * 8 + 8] for at in range(count))


def _reward(random: np.random.Generator, shape: Shape, *, accepts: bool) -> float:
    if not shape.is_graded:
        return float(accepts)
    return float(random.uniform(0.5, 1.0) if accepts else random.uniform(0.0, 0.499))


def measured(random: np.random.Generator, shape: Shape, *, is_diluted: bool) -> AuditReport:
    """The report of one draw."""
    cases, judge = drawn(random, shape)
    shown = with_easy_ones(cases, judge) if is_diluted else cases
    return asyncio.run(
        run_audit(judge, SOURCE, shown, tasks={}, subject="al/check@1.0", probes=False)  # type: ignore[arg-type]
    )


def counted(report: AuditReport, shape: Shape) -> Counts:
    """Whether the intervals of the evidence that is not the author's hold the true rates, and what the letter is."""
    found = Counts(letters=1)
    pooled = report.grading.independent if report.grading is not None else None
    assert pooled is not None
    for rate, interval in zip(shape.rates, (pooled.fpr, pooled.fnr), strict=True):
        low, high = interval.low or 0.0, 1.0 if interval.high is None else interval.high
        holds = low <= rate <= high
        found.rates += 1
        found.held += holds
        found.held_above += rate <= high
        if interval.value == 0:
            found.without_errors += 1
            found.held_without_errors += holds
    found.unrated = report.grade is Grade.UNMEASURED
    is_better = not found.unrated and is_worse(grade_within(max(shape.rates)), report.grade)
    is_hollow = report.grading is not None and report.grading.is_hollow
    found.better, found.hollow_better = is_better and not is_hollow, is_better and is_hollow
    return found


def shapes() -> Iterator[Shape]:
    """Every clusters, correlation and rate, with each of the other rates, sizes and rewards in turn."""
    for number, (clusters, alike, rate) in enumerate(product(CLUSTERS, ALIKE, RATES)):
        for kind in range(4):
            other = RATES[(number + kind) % len(RATES)]
            yield Shape(clusters, alike, (rate, other), is_unequal=kind % 2 == 1, is_graded=kind >= 2)


def simulate(draws: int, seed: int = 14) -> dict[tuple[int, float], Counts]:
    """(Clusters, correlation) -> counts, over ``draws`` of each shape."""
    random, found = np.random.default_rng(seed), defaultdict[tuple[int, float], Counts](Counts)
    for shape in shapes():
        for number in range(draws):
            report = measured(random, shape, is_diluted=number % 2 == 1)
            found[shape.clusters, shape.alike].add(counted(report, shape))
    return dict(found)


def line(name: str, one: Counts) -> str:
    """A row of the table."""
    held, above = (f"{100 * part / one.rates:.1f} %" for part in (one.held, one.held_above))
    return (
        f"{name:12} {one.rates:6} rates: {held} held, upper end {above}; "
        f"{one.held_without_errors} of {one.without_errors} without an error; "
        f"of {one.letters} letters {one.better} better than deserved, {one.hollow_better} so and hollow, "
        f"{one.unrated} unrated"
    )


def main(draws: int) -> None:
    """Print a line for each number of clusters and correlation, and one for all."""
    whole = Counts()
    for (clusters, alike), one in simulate(draws).items():
        whole.add(one)
        print(line(f"{clusters} at {alike}", one), flush=True)
    print(line("all", whole))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
