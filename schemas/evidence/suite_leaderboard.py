"""A suite's leaderboard: its verifiers with their rates, and the cases that many of them judge wrong."""

from typing import Any

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.cases import Label
from schemas.evidence.rates import Grade, Measurement
from schemas.names import VersionText


class SuiteLeaderboardRow(WireModel):
    """One verifier on one suite."""

    package: str
    version: VersionText
    measurement: Measurement
    """Cases of one task, form or cluster are not independent: the intervals count them as fewer."""
    grade: Grade
    """Of the suite's cases alone; the package's grade reads more cases."""
    is_owners: bool = False
    """The suite's own owner has published it too: for this verifier its cases are the author's."""


class ContestedCase(WireModel):
    """A case of the suite that verifiers judge against its label."""

    case: str
    label: Label
    wrong: int
    """How many verifiers say the opposite of the label."""
    of: int
    """How many verifiers were measured on the suite."""
    verifiers: list[str]
    task: dict[str, Any] | None = None
    response: str | None = None


class CaseProvenance(WireModel):
    """Cases of a suite that have the same origin: where from, under which licence, who labelled them and how."""

    source: str
    licence: str
    labelled_by: str
    cases: int


class SuiteLeaderboard(WireModel):
    """Every shown release that was measured on the suite, those with the smallest upper bound first."""

    suite: str
    is_counted: bool
    """Its owner has standing or was named by the hub's operator: its cases count in the grades of others."""
    rows: list[SuiteLeaderboardRow] = Field(default_factory=list)
    contested: list[ContestedCase] = Field(default_factory=list)
    """The most contested first. All verifiers against a label: look whether the label is right."""
    disagreed: int = 0
    """Cases on which verifiers disagree: some say what the label says, others do not."""
    provenance: list[CaseProvenance] = Field(default_factory=list)
    """Of the cases of its shown release, the largest part first."""
    against_all: int = 0
    """Cases on which every verifier of two or more says the opposite of the label: where its labels may be wrong."""
