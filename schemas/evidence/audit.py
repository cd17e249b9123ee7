"""Audit cases, rates with intervals, and the audit report: one schema for terminal, page and export."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from schemas.base import WireModel
from schemas.evidence.exploit import Exploit
from schemas.evidence.metamorphic import MetamorphicOutcome
from schemas.judge_model import JudgeCall, JudgeUse
from schemas.names import Digest, VersionText

REPORT_FORMAT = 1


class Label(StrEnum):
    """The label of a case: whether its response must be accepted or rejected."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Origin(StrEnum):
    """Where a case comes from.

    - ``author``: published with the package.
    - ``suite``: from a suite of another owner.
    - ``held``: kept by the hub and never handed out.
    - ``community``: a counter-example that somebody seconded.
    - ``rollout``: a rollout that people labelled.
    - ``reported``: a counter-example that nobody has seconded yet. It is run and shown, but counts in no rate.
    - ``probe``: generated.
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
        """Whether the case was chosen and labelled by somebody other than the package's author, and others agreed."""
        return self in (Origin.SUITE, Origin.HELD, Origin.COMMUNITY, Origin.ROLLOUT)


class AuditCase(WireModel):
    """A task, a response, and the verdict that the response must get.

    Without ``expect``, ``label`` applies to all rewards with the role ``score`` together.
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
    """What produced this case and others like it: a form, a template, a generator. Such cases are not independent."""
    disputed: bool = False
    first_look: bool = False
    """The release was published before its author could know the case. Only a hub can set this."""

    @property
    def as_authors(self) -> Self:
        """The case with everything that only a hub may claim removed: its origin becomes ``author``."""
        return self.model_copy(update={"origin": Origin.AUTHOR, "first_look": False})

    @model_validator(mode="after")
    def _has_both_sides(self) -> Self:
        if self.task is None and self.task_id is None:
            raise ValueError(f"audit case {self.id!r} needs task or task_id")
        if self.response is None and self.messages is None and self.state is None and self.files is None:
            raise ValueError(f"audit case {self.id!r} needs response, messages, state or files")
        return self


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


class Pull(WireModel):
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
    capped: list[str] = Field(default_factory=list)
    """Why the grade is not better, one sentence each: only the author's cases, no case that is new to the author, …"""
    pulled: list[Pull] = Field(default_factory=list)
    missing: list[str] = Field(default_factory=list)
    """What would allow a better grade, one sentence each."""


class RewardValues(WireModel):
    """Mean weighted reward of right and of wrong answers, each as a share of its range: what a trainer sees."""

    right: float
    wrong: float
    overlap: float
    """The chance that a wrong answer earns at least as much as a right one, 0..1. Equal rewards count half."""


class Determinism(WireModel):
    """Each case was judged ``repeats`` times. ``flips`` cases did not get the same vector every time."""

    repeats: int
    flips: int


class Latency(WireModel):
    """Latency of one call in milliseconds, as measured by the sandbox. Null without calls."""

    p50: float | None
    p95: float | None
    p99: float | None


class Failure(WireModel):
    """One case whose verdict contradicts its label. ``expected`` and ``got`` are vectors (or the label's word)."""

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
    asked: list[JudgeCall] = Field(default_factory=list)
    """What the verifier asked a model, and the answers. Empty for held cases."""


class AuditReport(WireModel):
    """What was measured, on which cases, and by which version.

    The same inputs give the same bytes, except for latencies and times.
    """

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
    exploits: dict[str, Exploit] = Field(default_factory=dict)
    """Way to answer without solving -> how often it is accepted."""
    metamorphic: dict[str, MetamorphicOutcome] = Field(default_factory=dict)
    """Rewriting that the author registers -> on how many pairs the verifier contradicts its relation."""
    determinism: Determinism
    latency_ms: Latency
    unscored_reasons: dict[str, int] = Field(default_factory=dict)
    power_hint: str = ""
    grading: Grading | None = None
    """Null in reports of older hubs, whose grade is based on ``overall``."""
    values: RewardValues | None = None
    """Null where a side has no judged case."""
    switched_off: list[str] = Field(default_factory=list)
    """Families of probes that the manifest switches off. They are run and reported all the same."""
    youden_j: float | None = None
    """J = 1 - FPR - FNR, null where either has no case."""
    judge_model: str = ""
    """The model that the verifier asked, for which alone its rates hold. Empty for a verifier that asks none."""
    asked_model: JudgeUse | None = None
    """How much it asked. This depends on which answers were kept, so it is not part of the digest."""
    disputed: int = 0
    failures: list[Failure] = Field(default_factory=list)
    case_count: int = 0
    """Distinct labelled cases. The rates are computed from these."""
    duplicates: int = 0
    """Cases with the same task, response and label as another case. They count in nothing."""
    audited_at: datetime | None = None
    signature: str | None = None
    verdicts: dict[str, tuple[str, bool | None]] = Field(default_factory=dict, exclude=True)
    """Key of a case's content -> its id and whether it was accepted. Only for comparing two audits; never written."""


class ChangedVerdict(WireModel):
    """A case that two audits of the same bytes judged differently. ``None`` = not judged."""

    case: str
    before: bool | None
    after: bool | None
    seen_at: datetime
    """When the later of the two ended."""


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
    """``sha256:…`` of the reproducible part: the report without latencies, time and signature."""
    changed: list[ChangedVerdict] = Field(default_factory=list)
    """Verdicts that differ from an earlier audit of the same release, the latest first, at most fifty."""
    key_id: str = ""
    """Id of the key that signed the report, as listed by the hub. Empty when it is unsigned."""


class SigningKey(WireModel):
    """A public key with which a hub signs. Retired keys stay in the list."""

    id: str
    public_key: str
    """The raw Ed25519 key in base64."""
    algorithm: Literal["ed25519"] = "ed25519"
    first_used_at: datetime | None = None
    introduction: str = ""
    """A signed note in which the key before it and this one name each other; empty for the first key."""
    is_current: bool = False


class SigningKeys(WireModel):
    """Every key of a hub, the current one first."""

    items: list[SigningKey]


class CaseState(StrEnum):
    """What is known about a counter-example.

    - ``open``: not yet replayed.
    - ``confirmed``: the verifier is wrong on it.
    - ``refuted``: the verifier is right on it after all.
    - ``fixed``: an earlier release was wrong on it and this one is right.
    - ``held``: people agreed on its label, and the verifier is right on it. It is replayed like the confirmed ones.
    - ``disputed``: somebody says that its label is wrong.

    A release that gets a ``fixed`` or ``held`` case wrong does not become ``@latest``.
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
    """An account, or ``hub`` for what a replay changed."""
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
        "lapsed",
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
    history: list[CaseEvent] = Field(default_factory=list)
    """Oldest first. Empty for cases from before this record was kept."""


class Reason(WireModel):
    """Why somebody yanks, deprecates, disputes or quarantines."""

    reason: str = Field(default="", max_length=2000)


class BatchDispute(WireModel):
    """Several cases whose labels are wrong for one reason. Without ids: all cases that count in no rate yet."""

    cases: list[str] = Field(default_factory=list, max_length=1000)
    reason: str = Field(min_length=1, max_length=2000)


class Ruling(WireModel):
    """How a dispute ends: the label was right, was the opposite, or the case goes."""

    ruling: Literal["upheld", "relabelled", "withdrawn"]
    reason: str = Field(default="", max_length=2000)
