"""Counter-examples that people submit: their state, their history, what may be said about them."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.cases import AuditCase, Label
from schemas.names import VersionText


class CaseState(StrEnum):
    """What is known about a counter-example.

    - ``open``: not yet replayed.
    - ``reproduced``: the verifier's verdict contradicts the label. This does not show that the label is right.
    - ``refuted``: the verifier is right on it after all.
    - ``fixed``: an earlier release was wrong on it and this one is right.
    - ``agreed``: people agreed on its label, and the verifier is right on it. It is replayed like the reproduced ones.
    - ``disputed``: somebody says that its label is wrong.

    A release that gets a ``fixed`` or ``agreed`` case wrong does not become ``@latest`` (:func:`holds_back`).
    """

    OPEN = "open"
    REPRODUCED = "reproduced"
    REFUTED = "refuted"
    DISPUTED = "disputed"
    FIXED = "fixed"
    AGREED = "agreed"

    @classmethod
    def _missing_(cls, value: object) -> "CaseState | None":
        """The names in version 0.4 and before: programs still send them, and the history of old cases holds them."""
        return {"confirmed": cls.REPRODUCED, "held": cls.AGREED}.get(str(value))


class CaseEvent(WireModel):
    """One line of a case's history: who did what, when, and what its label and state were afterwards."""

    at: datetime
    by: str
    """An account, or ``hub`` for what a replay changed."""
    what: Literal[
        "submitted",
        "labelled",
        "seconded",
        "counted",
        "corroborated",
        "disputed",
        "upheld",
        "relabelled",
        "withdrawn",
        "overturned",
        "lapsed",
        "replayed",
        "hidden",
        "shown",
    ]
    label: Label
    state: CaseState
    version: str = ""
    reason: str = ""


class OtherVerdict(WireModel):
    """What a release of another package said of a case's response when the hub ran it there."""

    package: str
    version: VersionText
    agrees: bool
    """With what the case says of its response."""
    case: str = ""
    """The counter-example to that package about the same response; empty: a question for labels was asked with it."""

    @property
    def release(self) -> tuple[str, str]:
        """Package and version."""
        return self.package, self.version


def holds_back(counted_by: str, corroborated_by: str) -> bool:
    """Whether a case that an earlier release got right keeps a release that gets it wrong from ``@latest``.

    The word of accounts of standing alone does not: labels that lie would hold the release back that corrects an error.
    Somebody else must have made the case count, or confirmed it: the package's owner, a moderator, others' verifiers.
    """
    return counted_by not in ("", "standing", "labels") or (counted_by != "" and corroborated_by != "")


class CounterExample(WireModel):
    """An audit case that somebody submitted against a verifier."""

    id: str
    package: str
    case: AuditCase
    state: CaseState
    submitted_by: str
    submitted_at: datetime
    against: VersionText
    fixed_in: VersionText | None = None
    verdicts: dict[str, dict[str, float | None]] = Field(default_factory=dict)
    """Version -> the reward vector that it returned."""
    error: str = ""
    """Why it could not be judged yet, or empty."""
    dispute_reason: str = ""
    disputed_by: str = ""
    dispute_ends_at: datetime | None = None
    """When an open dispute ends if nobody settles it before; null when there is none."""
    hidden_reason: str | None = None
    """Why a moderator hid it; null when it is shown. Only moderators see hidden cases, and no audit runs them."""
    seconded_by: list[str] = Field(default_factory=list)
    counted_by: str = ""
    """Who made it count in the rates: the package's owner, two accounts with standing, a moderator, or people's labels.

    Empty: it is run and shown, but counts in no rate.
    """
    corroborated_by: Literal["", "owner", "moderator", "verifiers"] = ""
    """Who confirms the label of a case that counts by accounts of standing: owner, moderator, or others' verifiers."""
    waits: bool = False
    """It was made to count, and counts in no rate of the newest release: too many like it count by accounts of standing
    alone. It counts once somebody else confirms it."""
    repeats: str = ""
    """It counts in no rate of the newest release, because another case asks the same and counts in its place: the id of
    another counter-example, or ``package`` for one of the package's own or of a suite. Empty: it repeats none.
    """
    history: list[CaseEvent] = Field(default_factory=list)
    """Oldest first. Empty for cases from before this record was kept."""
    other_verdicts: list[OtherVerdict] = Field(default_factory=list)
    """Of other packages' verifiers on the same task and response, those that disagree first, at most twenty.

    Of each package the newest release that judged it. Only what the hub has stored; it runs nothing for it. Empty in
    lists of several packages' cases.
    """
    others_agree: int = 0
    """How many other packages agree, those that are left out of ``other_verdicts`` included."""
    others_disagree: int = 0


class Reason(WireModel):
    """Why somebody yanks, deprecates, disputes or quarantines."""

    reason: str = Field(default="", max_length=2000)


class LabelReport(WireModel):
    """A case of a suite whose label is wrong, and why."""

    case: str = Field(min_length=1, max_length=200)
    """Its id, as the suite's page and the lists of failures give it, without the suite's name."""
    reason: str = Field(min_length=1, max_length=2000)


class BatchDispute(WireModel):
    """Several cases whose labels are wrong for one reason. Without ids: all cases that count in no rate yet."""

    cases: list[str] = Field(default_factory=list, max_length=1000)
    reason: str = Field(min_length=1, max_length=2000)


class Ruling(WireModel):
    """How a dispute ends: the label was right, was the opposite, or the case goes."""

    ruling: Literal["upheld", "relabelled", "withdrawn"]
    reason: str = Field(default="", max_length=2000)
