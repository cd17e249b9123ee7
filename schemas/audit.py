"""Audit cases, rates with intervals, and the audit report: one schema for terminal, page and export."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from schemas.base import WireModel
from schemas.names import Digest, VersionText

REPORT_FORMAT = 1


class Label(StrEnum):
    """What a case must get: accepted or rejected."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Origin(StrEnum):
    """Where a case comes from."""

    AUTHOR = "author"
    COMMUNITY = "community"
    PROBE = "probe"
    ROLLOUT = "rollout"


class AuditCase(WireModel):
    """A task, a response, and the verdict that a person or a construction says it must get.

    Where ``expect`` is absent, ``label`` speaks of every ``score`` reward together.
    """

    id: str = Field(min_length=1, max_length=200)
    task_id: str | None = None
    task: dict[str, Any] | None = None
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None
    label: Label
    expect: dict[str, float] | None = None
    origin: Origin = Origin.AUTHOR
    tags: list[str] = Field(default_factory=list)
    note: str = ""
    source: str = ""
    licence: str = ""
    disputed: bool = False

    @model_validator(mode="after")
    def _has_both_sides(self) -> Self:
        if self.task is None and self.task_id is None:
            raise ValueError(f"audit case {self.id!r} needs task or task_id")
        if self.response is None and self.messages is None and self.state is None and self.files is None:
            raise ValueError(f"audit case {self.id!r} needs response, messages, state or files")
        return self


class Grade(StrEnum):
    """From the upper end of the wider interval: A ≤ 1 %, B ≤ 3 %, C ≤ 10 %, D ≤ 30 %, else F. U = no cases."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    F = "F"
    UNMEASURED = "U"


class Rate(WireModel):
    """A proportion with its 95 % Wilson interval, all in 0..1. ``value`` is null where there is no such case."""

    value: float | None
    low: float
    high: float


class Measurement(WireModel):
    """Confusion counts and the two rates. ``unscored`` cases are in none of the four."""

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


class Determinism(WireModel):
    """``repeats`` runs of every case; ``flips`` cases whose vector was not the same each time."""

    repeats: int
    flips: int


class Latency(WireModel):
    """Milliseconds a call, as the sandbox measured it. Null without calls."""

    p50: float | None
    p95: float | None
    p99: float | None


class Failure(WireModel):
    """One case on which verdict and label part. ``expected`` and ``got`` are vectors (or the label's word)."""

    case: str
    expected: dict[str, float] | str
    got: dict[str, float | None]
    origin: Origin
    kind: Literal["fp", "fn", "unscored"] = "fp"
    tags: list[str] = Field(default_factory=list)
    note: str = ""
    task: dict[str, Any] | None = None
    response: str | None = None
    error: str = ""


class AuditReport(WireModel):
    """What was measured, on what, by what. Reproduces byte-identically, latencies and times aside."""

    format: Literal[1] = 1
    subject: str
    """``owner/name@version``."""
    digest: Digest
    suite_digest: Digest
    image_digest: str
    runner_version: str = ""
    isolation: str = "call"
    grade: Grade
    overall: Measurement
    rewards: dict[str, Measurement]
    slices: dict[str, Measurement] = Field(default_factory=dict)
    """``tag:fractions`` and ``origin:author`` -> measurement."""
    probes: dict[str, ProbeOutcome] = Field(default_factory=dict)
    determinism: Determinism
    latency_ms: Latency
    unscored_reasons: dict[str, int] = Field(default_factory=dict)
    power_hint: str = ""
    youden_j: float | None = None
    """J = 1 - FPR - FNR, null where either has no case."""
    disputed: int = 0
    failures: list[Failure] = Field(default_factory=list)
    case_count: int = 0
    audited_at: datetime | None = None
    signature: str | None = None


class AuditRecord(WireModel):
    """A report as the hub keeps it."""

    id: str
    package: str
    version: VersionText
    state: Literal["queued", "running", "done", "failed"]
    done_cases: int = 0
    total_cases: int = 0
    error: str = ""
    created_at: datetime
    finished_at: datetime | None = None
    report: AuditReport | None = None
    report_digest: str = ""
    """``sha256:…`` of what reproduces: the report without latencies, time and signature."""
    key_id: str = ""
    """The key that signed the report, as the hub's list of keys names it; empty where it is unsigned."""


class SigningKey(WireModel):
    """A public key with which a hub signs reports. Old ones stay in the list for ever."""

    id: str
    public_key: str
    """The raw Ed25519 key in base64."""
    algorithm: Literal["ed25519"] = "ed25519"
    first_used_at: datetime | None = None
    is_current: bool = False


class SigningKeys(WireModel):
    """Every key of a hub, the current one first."""

    items: list[SigningKey]


class CaseState(StrEnum):
    """``open`` until replayed; ``confirmed``: the verifier is wrong on it; ``refuted``: it is right after all.

    ``held``: people agree on its label and the verifier is right on it; it is replayed like the confirmed ones, and a
    release that gets it wrong is held back like one that brings back a ``fixed`` one.
    """

    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    DISPUTED = "disputed"
    FIXED = "fixed"
    HELD = "held"


class CaseEvent(WireModel):
    """One line of a case's provenance: who did what, when, and what its label and state were afterwards."""

    at: datetime
    by: str
    """An account, or ``hub`` for what a replay brought about."""
    what: Literal["submitted", "labelled", "disputed", "upheld", "relabelled", "withdrawn", "replayed"]
    label: Label
    state: CaseState
    version: str = ""
    reason: str = ""


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
    """Version -> reward vector it gave."""
    error: str = ""
    """Why it could not be judged yet, or empty."""
    dispute_reason: str = ""
    disputed_by: str = ""
    history: list[CaseEvent] = Field(default_factory=list)
    """Oldest first. Empty for cases that are older than the record."""


class Reason(WireModel):
    """Why somebody yanks, deprecates, disputes or quarantines."""

    reason: str = Field(default="", max_length=2000)


class Ruling(WireModel):
    """How a dispute ends: the label was right, was the opposite, or the case goes."""

    ruling: Literal["upheld", "relabelled", "withdrawn"]
    reason: str = Field(default="", max_length=2000)
