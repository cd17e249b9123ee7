"""The audit report: one schema for terminal, page and export."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.cases import Origin
from schemas.evidence.exploit import Exploit
from schemas.evidence.metamorphic import MetamorphicOutcome
from schemas.evidence.rates import Grade, Grading, Measurement, ProbeOutcome, RewardValues
from schemas.judge_model import JudgeCall, JudgeUse
from schemas.names import Digest, VersionText

REPORT_FORMAT = 1


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
    in_no_rate: list[str] = Field(default_factory=list, exclude=True)
    """Ids of the cases that were run and count in no rate. Only for the hub that made the report; never written."""
    repeats: dict[str, str] = Field(default_factory=dict, exclude=True)
    """Case that repeats another -> the other, which counts in its place. Only for the hub that made it, as above."""
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
    """How far it is while it runs, probes included; of a finished audit both are its report's cases."""
    error: str = ""
    created_at: datetime
    finished_at: datetime | None = None
    report: AuditReport | None = None
    report_digest: str = ""
    """``sha256:…`` of the reproducible part: the report without latencies, time and signature."""
    changed: list[ChangedVerdict] = Field(default_factory=list)
    """Verdicts that differ from an earlier audit of the same release, the latest first, at most fifty."""
    probe_seed: str = ""
    """What its probes and the sample of each suite were drawn by. Empty as long as its package has no later release."""
    key_id: str = ""
    """Id of the key that signed the report, as listed by the hub. Empty when it is unsigned."""
