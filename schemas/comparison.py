"""Two verifiers on the same cases: where they agree, where they disagree, and how far apart their rewards are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.audit_plan import ReleaseT
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Rate


class Disagreement(WireModel):
    """A case that one verifier accepts and the other does not. ``None`` = not judged.

    ``sides_with``: which one matches the label.
    """

    case: str
    label: Label
    first: bool | None
    second: bool | None
    first_rewards: dict[str, float | None]
    second_rewards: dict[str, float | None]
    sides_with: Literal["first", "second", "neither"]
    task: dict[str, Any] | None = None
    response: str | None = None
    origin: Origin = Origin.AUTHOR


class RewardDistance(WireModel):
    """Distance between two rewards: 0 = the same order of the responses to each task, 1 = the opposite order.

    With a 95 % bootstrap interval.
    """

    value: float
    low: float
    high: float


class VerifierComparison(WireModel):
    """``counts["accepted/rejected"]``: accepted by the first, rejected by the second; ``null`` = not judged."""

    first: str
    second: str
    case_count: int
    counts: dict[str, int]
    agreement: Rate
    kappa: float | None
    """Cohen's kappa: agreement beyond chance. None when chance already explains all agreement."""
    distance: RewardDistance | None
    """None where too few tasks have two judged responses."""
    disagreements: list[Disagreement]
    """The first 200; ``disagreement_count`` says how many there are."""
    disagreement_count: int = 0
    judged: int = 0
    """Cases that both judged."""
    agreed: int = 0
    probe_count: int = 0
    """How many of the cases were generated from either side's tasks, with a fixed seed."""
    first_digest: str = ""
    second_digest: str = ""
    suite_digest: str = ""
    runner_version: str = ""


class ComparisonRecord(WireModel):
    """A comparison as the hub keeps it."""

    id: str
    left: str
    """``owner/name@version``."""
    right: str
    state: Literal["queued", "running", "done", "failed"]
    error: str = ""
    requested_by: str = ""
    created_at: datetime
    finished_at: datetime | None = None
    result: VerifierComparison | None = None


class ComparisonRequest(WireModel):
    """Two verifiers by reference: ``owner/name``, ``owner/name@1.2.0``."""

    left: str = Field(max_length=300)
    right: str = Field(max_length=300)
    again: bool = False
    """Run the comparison even when the same two were compared before."""


class Neighbour(WireModel):
    """Another package's verifier that judges alike or is written alike."""

    package: str
    version: str
    behaves_alike: bool
    """True when both gave the same verdict on every case that both judged, there were enough of them of both labels,
    and the rewards hardly differ.
    """
    judged: int
    agreed: int
    distance: float | None = None
    source_similarity: float
    """Share of normalised code shingles that both have, estimated: 1 for a copy with other names."""
    found_at: datetime


class Neighbours(WireModel):
    """The verifiers that are most like one, closest first."""

    items: list[Neighbour]


@dataclass(frozen=True)
class SideCases:
    """The labelled cases of one side, and the tasks that they name by id. ``name``: the package they come from."""

    name: str
    cases: Sequence[AuditCase]
    tasks: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparisonPlan(Generic[ReleaseT]):
    """Two verifiers to compare on the same cases. ``names``: their names in the comparison."""

    first: ReleaseT
    second: ReleaseT
    sides: Sequence[SideCases]
    names: tuple[str, str]
