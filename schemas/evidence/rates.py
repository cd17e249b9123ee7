"""Measured rates with their intervals, and the grade that follows from them."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.base import WireModel


class Grade(StrEnum):
    """The grade, from the larger upper bound of FPR and FNR: A ≤ 1 %, B ≤ 3 %, C ≤ 10 %, D ≤ 30 %, else F.

    U = unrated: too few independent cases for any grade.
    """

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    F = "F"
    UNMEASURED = "U"


class Rate(WireModel):
    """A proportion with its 95 % interval, all in 0..1. ``value`` is null when there are no cases.

    ``clusters``, ``tries`` and ``alike`` are set when some cases resemble each other: ``clusters`` groups of similar
    cases count as much as ``tries`` independent cases (see ``schemas.measures.clusters``), and ``alike`` says what they
    share. When they are null, every case counts as one.
    """

    value: float | None
    low: float
    high: float
    clusters: int | None = None
    """Number of groups of similar cases."""
    tries: float | None = None
    """How many independent cases all of them are worth."""
    alike: Literal["", "tasks", "forms", "clusters"] = ""
    """What the cases of one group share."""


class Measurement(WireModel):
    """Confusion counts and both error rates. ``unscored`` cases are in none of the four counts."""

    tp: int
    fp: int
    tn: int
    fn: int
    unscored: int
    fpr: Rate
    fnr: Rate
    j: Rate | None = None
    """Youden's J = 1 - FPR - FNR, in -1..1, with a 95 % interval; null where either side has no case."""


class ProbeOutcome(WireModel):
    """One family of generated cases. ``failures`` are wrong verdicts; ``unscored`` were not judged."""

    cases: int
    failures: int
    unscored: int
    expects: Literal["correct", "incorrect", "mixed"] = "incorrect"
    rule: str = ""
    raised: int = 0
    """Of the unjudged ones, those where the package's own code failed."""
    mean_reward: float | None = None
    """Mean weighted reward as a share of its range, 0..1; null where nothing was judged. Partial credit shows here."""


class WorsePart(WireModel):
    """A part of the evidence whose error rate is certainly worse than the grade, which lowers it to ``grade``."""

    name: str
    """``origin:suite``, ``tag:fractions``, ``probe:leak_sign``."""
    side: Literal["fpr", "fnr"]
    errors: int
    cases: int
    grade: Grade


class Grading(WireModel):
    """How the grade was derived: which evidence it is based on, and what keeps it from being better."""

    is_hollow: bool = False
    """True when only the author's own cases support the grade, which is then at most C."""
    reads: Measurement | None = None
    """The evidence that the grade is based on. Unjudged cases beyond 2 % of a side count as errors in it."""
    independent: Measurement | None = None
    """All evidence that does not come from the author, pooled. Null when there is none."""
    first_look: Measurement | None = None
    """The part of it that the release's author could not know. Null when there is none."""
    known: Measurement | None = None
    """The other part: cases that were there before the release, so it may have been corrected by them."""
    hubs_own: Measurement | None = None
    """The drawn cases that are the hub's own. Null when there is none."""
    others: Measurement | None = None
    """The drawn cases of other owners of suites. Null when there is none."""
    capped: list[str] = Field(default_factory=list)
    """Why the grade is not better, one sentence each: only the author's cases, no case that is new to the author, …"""
    pulled: list[WorsePart] = Field(default_factory=list)
    """The parts that lower the grade. The name stays, because reports are signed with it."""
    waiting: list[str] = Field(default_factory=list)
    """Why labelled rollouts count in no rate yet, one sentence a side."""
    missing: list[str] = Field(default_factory=list)
    """What would allow a better grade, one sentence each; what helps first stands first."""

    @property
    def needs(self) -> list[str]:
        """What a better grade needs, as pages and commands say it: what to do, then why it is no better now."""
        return [*self.missing, *self.capped]


class RewardValues(WireModel):
    """Mean weighted reward of right and of wrong answers, each as a share of its range: what a trainer sees."""

    right: float
    wrong: float
    overlap: float
    """The chance that a wrong answer earns at least as much as a right one, 0..1. Equal rewards count half."""


class ValuesInForm(RewardValues):
    """The same of answers that all have one form. No report holds it: the grade is read from it."""

    form: str
