"""A suite's leaderboard: its verifiers with their rates, and the cases that many of them judge wrong."""

from datetime import datetime
from typing import Any

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.cases import Label
from schemas.evidence.counter_examples import CaseState
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


class ReportedLabel(WireModel):
    """A label of the suite that somebody reported as wrong. Its history: the package's counter-example ``report``."""

    report: str
    case: str
    label: Label
    """What the suite says; whoever reported it says the opposite."""
    state: CaseState
    counted_by: str
    """By whose word the report counts; empty: it does not, and the case counts as before."""
    is_left_out: bool
    """The suite's shown release has the case with this label, and it counts in no rate."""
    waits: bool = False
    """It counts by accounts of standing and leaves nothing out: older reports have taken out as many cases as such
    accounts may. The suite's owner or a moderator decides."""
    against: int
    """How many verifiers say what the report says. No number of them makes it count: a suite may hold the very cases on
    which verifiers are wrong."""
    reason: str
    submitted_by: str
    submitted_at: datetime


class LabelEvidence(WireModel):
    """What is known of wrong labels in a suite. No rate follows from it: nobody chose these cases at random."""

    cases: int
    """Of the shown release."""
    reported: int = 0
    """Labels that somebody reported as wrong, hidden reports left out."""
    found_wrong: int = 0
    """Cases of the shown release that count in no rate, because a report of their label counts."""
    stands: int = 0
    """Reports that were refuted: the label stands."""
    disputed: int = 0
    """Reports about which people disagree now."""
    changed: int | None = None
    """Cases of the shown release that the release before it had with the other label; null where there is none before.
    """
    changed_since: VersionText | None = None
    """The version of the release before it."""
    people: int = 0
    """Accounts that reported a label, seconded a report or disputed one."""
    repeated: int = 0
    """Tasks with a response that the release has more than once."""
    contradicted: int = 0
    """Those of them that it labels both right and wrong: one of the two labels is wrong."""
    verifiers: int = 0
    """Compared verifiers of other owners."""
    against_majority: int | None = None
    """Cases on which more than half of these say the opposite of the label; null where fewer than three are compared.
    Either they share a mistake or the label is wrong."""


class SuiteLeaderboard(WireModel):
    """Every shown release that was measured on the suite, those with the smallest upper bound first."""

    suite: str
    is_counted: bool
    """Its owner has standing or was named by the hub's operator: its cases count in the grades of others."""
    is_hubs_own: bool = False
    """The hub's operator named its owner: grades begin with its cases, and accounts of standing decide on no label."""
    rows: list[SuiteLeaderboardRow] = Field(default_factory=list)
    contested: list[ContestedCase] = Field(default_factory=list)
    """The most contested first. All verifiers against a label: look whether the label is right."""
    disagreed: int = 0
    """Cases on which verifiers disagree: some say what the label says, others do not."""
    provenance: list[CaseProvenance] = Field(default_factory=list)
    """Of the cases of its shown release, the largest part first."""
    reported: list[ReportedLabel] = Field(default_factory=list)
    """The newest reports of wrong labels, hidden ones left out."""
    left_out: int = 0
    """Cases of the shown release that count in no rate, because a report of their label counts."""
    against_all: int = 0
    """Cases on which every verifier of two or more says the opposite of the label: where its labels may be wrong."""
    labels: LabelEvidence | None = None
    """What is known of its label error; null from an older hub."""
