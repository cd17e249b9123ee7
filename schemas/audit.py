"""Audit cases, rates with intervals, and the audit report: one schema for terminal, page and export."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Literal, NamedTuple, Self, TypeVar

from pydantic import Field, model_validator

from schemas.base import WireModel
from schemas.manifest import Isolation
from schemas.names import Digest, VersionText

REPORT_FORMAT = 1


class Label(StrEnum):
    """What a case must get: accepted or rejected."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Origin(StrEnum):
    """Where a case comes from.

    ``author``: with the package. ``suite``: a suite of another owner. ``held``: held by the hub, never handed out.
    ``community``: a counter-example that was seconded. ``rollout``: a rollout that people labelled. ``reported``: a
    counter-example that nobody has seconded yet; it is run and shown, and counts in no rate. ``probe``: generated.
    """

    AUTHOR = "author"
    SUITE = "suite"
    HELD = "held"
    COMMUNITY = "community"
    ROLLOUT = "rollout"
    REPORTED = "reported"
    PROBE = "probe"

    @property
    def is_independent(self) -> bool:
        """Whether somebody else than the package's author chose and labelled the case, and others agreed."""
        return self in (Origin.SUITE, Origin.HELD, Origin.COMMUNITY, Origin.ROLLOUT)


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
    cluster: str = Field(default="", max_length=200)
    """What made it, with others like it: a form, a template, a generator's family. Such cases are not independent."""
    disputed: bool = False
    first_look: bool = False
    """The release was frozen before its author could know the case. Only a hub can say so."""

    @property
    def as_authors(self) -> Self:
        """The case as its package's author may say it: whatever the file claims, it is the author's own."""
        return self.model_copy(update={"origin": Origin.AUTHOR, "first_look": False})

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
    """A proportion with its 95 % interval, all in 0..1. ``value`` is null where there is no such case.

    ``clusters`` and ``tries`` are there where cases are alike: how many groups of like cases there are, and as how many
    independent cases all of them count (``schemas.measures.clusters``); ``alike`` says what they share. Null: every
    case counts for one.
    """

    value: float | None
    low: float
    high: float
    clusters: int | None = None
    """How many groups of like cases there are."""
    tries: float | None = None
    """As how many independent cases all of them count."""
    alike: Literal["", "tasks", "forms", "clusters"] = ""
    """What the cases of a group share."""


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


class Pull(WireModel):
    """A part of the evidence that is surely worse than the letter, and pulls it down to ``grade``."""

    name: str
    """``origin:suite``, ``tag:fractions``, ``probe:leak_sign``."""
    side: Literal["fpr", "fnr"]
    errors: int
    cases: int
    grade: Grade


class Grading(WireModel):
    """How the letter came about: which evidence it reads, and what holds it down."""

    is_hollow: bool = False
    """Only the author's own cases speak for it: at most C."""
    reads: Measurement | None = None
    """What the letter reads; cases beyond 2 % of a side that were not judged count as errors in it."""
    independent: Measurement | None = None
    """The evidence that is not the author's, pooled; null without any."""
    first_look: Measurement | None = None
    """The part of it that the release's author could not know; null without any."""
    capped: list[str] = Field(default_factory=list)
    """Why the letter is not better, one sentence each: hollow, no first look, equal rewards for right and wrong."""
    pulled: list[Pull] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    """What would let the letter rise, one sentence each."""


class RewardValues(WireModel):
    """Mean weighted reward of right and of wrong answers, as shares of its range: what a trainer sees."""

    right: float
    wrong: float
    overlap: float
    """The chance that a wrong answer earns at least as much as a right one (half for equal ones), 0..1."""


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
    grading: Grading | None = None
    """Null in reports of older hubs, whose letter reads ``overall``."""
    values: RewardValues | None = None
    """Null where a side has no judged case."""
    switched_off: list[str] = Field(default_factory=list)
    """Families of probes that the manifest switches off; they were run all the same."""
    youden_j: float | None = None
    """J = 1 - FPR - FNR, null where either has no case."""
    disputed: int = 0
    failures: list[Failure] = Field(default_factory=list)
    case_count: int = 0
    """Distinct labelled cases: what the rates count."""
    duplicates: int = 0
    """Cases that repeat another one's task, response and label, and count for nothing."""
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
    what: Literal[
        "submitted",
        "labelled",
        "seconded",
        "counted",
        "disputed",
        "upheld",
        "relabelled",
        "withdrawn",
        "overturned",
        "replayed",
        "hidden",
        "shown",
    ]
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
    hidden_reason: str | None = None
    """Why a moderator hid it; null where it is shown. Only moderators see hidden cases; no audit replays them."""
    seconded_by: list[str] = Field(default_factory=list)
    counted_by: str = ""
    """By whose word it counts in the rates: the owner's, two accounts' of standing, a moderator's, or people's labels.

    Empty: it is run and shown, and in no rate.
    """
    history: list[CaseEvent] = Field(default_factory=list)
    """Oldest first. Empty for cases that are older than the record."""


class Reason(WireModel):
    """Why somebody yanks, deprecates, disputes or quarantines."""

    reason: str = Field(default="", max_length=2000)


class BatchDispute(WireModel):
    """Several cases whose labels are wrong for one reason; none named: all that count for nothing yet."""

    cases: list[str] = Field(default_factory=list, max_length=1000)
    reason: str = Field(min_length=1, max_length=2000)


class Ruling(WireModel):
    """How a dispute ends: the label was right, was the opposite, or the case goes."""

    ruling: Literal["upheld", "relabelled", "withdrawn"]
    reason: str = Field(default="", max_length=2000)


ReleaseT = TypeVar("ReleaseT")
Progress = Callable[[int, int], None]
"""Called with (done, total); what it raises ends the work."""


@dataclass(frozen=True)
class CaseDraw:
    """How many cases a suite's generator makes for one audit, by which seed, and how they become the verifier's."""

    seed: int
    count: int
    adapt: Callable[[AuditCase], AuditCase]


@dataclass(frozen=True)
class AuditPlan(Generic[ReleaseT]):
    """An audit to run: the release whose verifier is measured, the cases, and the tasks that they name by id."""

    verifier: ReleaseT
    subject: str
    """``owner/name@version``, as the report says it."""
    cases: Sequence[AuditCase]
    tasks: Mapping[str, dict[str, Any]]
    repeats: int = 1
    probes: bool = True
    isolation: Isolation | None = None
    seconds: float | None = None
    """What has no verdict after so long is reported as not judged; None: no end."""
    probe_seed: str | None = None
    """What probes are drawn by; None: the seed that everybody knows."""
    draws: Sequence[tuple[ReleaseT, CaseDraw]] = ()
    """Suites whose generators make further cases, known to nobody before."""


class ReplayCount(NamedTuple):
    """How many calls ran once more, one isolation level up, and how many of them were judged differently."""

    compared: int
    mismatches: int
