"""Results on a benchmark, and what they show about the models and about the benchmark itself."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.evidence.rates import Grade, Measurement
from schemas.measures.corrected import CorrectedRate, TrustLevel
from schemas.measures.intervals import Interval
from schemas.names import PackageId, VersionText
from schemas.titles import Line

REPORT_FORMAT: Literal[2] = 2


class TaskOutcome(WireModel):
    """How often a model solved a task. A task without attempts has no row; it is not counted as 0."""

    task_id: str = Field(min_length=1, max_length=200)
    attempts: int = Field(default=1, ge=1, le=100_000)
    successes: int = Field(ge=0, le=100_000)


class ResultsCreate(WireModel):
    """What one model did in one environment of a benchmark, under one harness."""

    environment: PackageId
    environment_version: VersionText
    model: Line = Field(min_length=1, max_length=200)
    harness: Line = Field(default="single-turn", min_length=1, max_length=200)
    run_id: str | None = None
    outcomes: list[TaskOutcome] = Field(min_length=1, max_length=20_000)
    failed: int = Field(default=0, ge=0, le=10_000_000)
    """Attempts in which the harness failed. They are in no outcome."""
    unjudged: int = Field(default=0, ge=0, le=10_000_000)
    """Attempts that the verifier could not judge. They are in no outcome."""


class BenchmarkResults(WireModel):
    """A submission as the hub stores it. A newer submission by the same account for the same cell replaces it."""

    id: str
    benchmark: PackageId
    version: VersionText
    environment: PackageId
    environment_version: VersionText
    model: str
    harness: str
    run_id: str | None
    submitted_by: str
    submitted_at: datetime
    task_count: int
    mean: float
    """Mean pass rate over tasks."""


class LeaderboardRow(WireModel):
    """One model under one harness: mean pass rate over the tasks that it attempted."""

    model: str
    harness: str
    score: Interval
    task_count: int
    attempts: int = 0
    trust_level: TrustLevel = TrustLevel.UNAUDITED
    """Trust level of the least trustworthy verifier behind the score."""
    corrected: CorrectedRate = CorrectedRate(reason="nobody measured its verifier")
    """The score corrected for the verifiers' error rates, by the newest audits."""


class CellRow(WireModel):
    """One model under one harness in one environment. ``tries``: how many independent attempts they are worth."""

    model: str
    harness: str
    environment: PackageId
    versions: list[VersionText]
    """Releases that the outcomes come from."""
    rate: float
    tries: float
    task_count: int
    attempts: int
    failed: int = 0
    unjudged: int = 0
    trust_level: TrustLevel = TrustLevel.UNAUDITED
    corrected: CorrectedRate = CorrectedRate(reason="nobody measured its verifier")


class JudgedEnvironment(WireModel):
    """How far the verdicts of an environment can be trusted, and which audit says so."""

    environment: PackageId
    version: VersionText | None
    """The release of the newest outcomes."""
    trust_level: TrustLevel = TrustLevel.UNAUDITED
    grade: Grade = Grade.UNMEASURED
    audited: str = ""
    """``owner/name@version`` whose audit applies (another package's when that one judges), or empty."""
    audited_at: datetime | None = None
    case_count: int = 0
    errors: Measurement | None = None
    """What that audit measured."""
    task_count: int = 0


class ModelPair(WireModel):
    """Two entries of the leaderboard, on the tasks that all attempted. ``is_separated``: the interval excludes zero."""

    first: str
    second: str
    difference: Interval
    is_separated: bool
    tasks_needed: int | None = None
    """Not told apart: so many tasks like these would do it with 80 % power. None if they are, or nothing differed."""


class PassPoint(WireModel):
    """Mean chance that one of ``k`` tries succeeds."""

    k: int
    rate: Interval


class PassCurve(WireModel):
    """pass@k of one entry, over its tasks with that many attempts."""

    model: str
    harness: str
    points: list[PassPoint]


class ItemRow(WireModel):
    """One task: how often it is solved (0..1), and whether it tells models apart. ``task`` is ``owner/name#id``.

    A larger ``difficulty`` is a harder task.
    """

    task: str
    pass_rate: float
    difficulty: Interval | None = None
    discrimination: Interval | None = None
    correlation: Interval | None = None
    """Correlation with the entries' scores on all other tasks. Null when either does not vary."""
    flag: Literal["", "negative", "certain"] = ""
    """``negative``: better entries fail it more often. ``certain``: more often than chance explains."""


class AbilityRow(WireModel):
    """An entry's ability on the scale of the tasks' difficulties (mean 0, standard deviation 1 over entries).

    The interval treats the task parameters as known, so it is too narrow when there are few entries.
    """

    model: str
    harness: str
    ability: Interval


class HarnessChange(WireModel):
    """One model under two harnesses on the same tasks: second minus first."""

    model: str
    first: str
    second: str
    difference: Interval
    p_value: float
    """Paired sign-flip test of the mean difference."""
    task_count: int
    gained: int = 0
    """Tasks that the second solves more often."""
    lost: int = 0
    mcnemar: float = 1.0
    """p-value that tasks change in both directions equally often."""


class TaskFlipRow(WireModel):
    """One task when the harness is swapped: how many models gain and how many lose."""

    task: str
    gained: int
    lost: int
    p_value: float
    is_certain: bool


class HarnessSwap(WireModel):
    """Two harnesses over all models that ran both: which tasks change."""

    first: str
    second: str
    models: int
    changed: int
    certain: int
    flips: list[TaskFlipRow]
    """The changes with the smallest p-values."""


class DuplicatePair(WireModel):
    """Two tasks with nearly the same text; ``similarity`` is the Jaccard index of their word 4-grams."""

    first: str
    second: str
    similarity: float


class DiversityReport(WireModel):
    """How varied the benchmark is. A field is null while there are too few data."""

    text: Interval | None = None
    """Effective number of different tasks by their text (Vendi score)."""
    texts_measured: int = 0
    texts: int = 0
    """Tasks whose text is stored. Tasks of generated splits are not."""
    responses: Interval | None = None
    """Effective number of different tasks by who solves them."""
    response_tasks: int = 0
    duplicates: list[DuplicatePair] = Field(default_factory=list)
    """The most similar pairs."""
    duplicate_pairs: int = 0
    duplicate_share: Interval | None = None
    """Share of tasks that have a near-duplicate."""
    domain_bits: Interval | None = None
    domain_evenness: float | None = None
    domains: dict[str, int] = Field(default_factory=dict)
    """Tasks by declared domain: a task's first tag, else its environment."""


class SubsetPoint(WireModel):
    """A subset of ``size`` tasks with its largest error: over all entries, and over entries that were not used to
    choose it.
    """

    size: int
    worst_error: float
    held_out_error: float | None


class SubsetReport(WireModel):
    """The smallest subset found that reproduces every entry's total within ``tolerance``."""

    tolerance: float
    tasks: list[str]
    worst_error: float
    task_count: int
    sizes: tuple[int, int] | None = None
    """Fewest and most tasks needed when a fifth of the entries is left out. Null below ten entries."""
    curve: list[SubsetPoint] = Field(default_factory=list)


class OverlapRow(WireModel):
    """A test task that shares a run of words with another split's task."""

    task: str
    where: str
    words: int
    covered: float


class ContaminationRow(WireModel):
    """Tasks of a pinned environment's test split that share text with another split."""

    environment: PackageId
    split: str
    against: str
    """``owner/name@version``."""
    against_split: str
    test_count: int
    overlapping: int
    share: Interval
    worst: list[OverlapRow] = Field(default_factory=list)


class RelatedBenchmark(WireModel):
    """How another benchmark ranks the entries that both have seen."""

    benchmark: PackageId
    version: VersionText
    entries: int
    kendall: Interval | None = None
    spearman: Interval | None = None
    is_redundant: bool = False
    """For ranking: even the lower end of Kendall's interval is at least 0.8."""


class BenchmarkReport(WireModel):
    """What a benchmark's results show. A field is null while there are too few data."""

    format: Literal[2] = REPORT_FORMAT
    benchmark: PackageId
    version: VersionText
    computed_at: datetime
    results_digest: str = ""
    """Digest of the results that it was computed from."""
    submissions: int = 0
    attempts: int = 0
    environments: list[JudgedEnvironment] = Field(default_factory=list)
    cells: list[CellRow] = Field(default_factory=list)
    leaderboard: list[LeaderboardRow]
    task_count: int
    pass_rate: Interval | None
    """Mean over tasks of the mean over entries, 0..1: how often tasks are solved. Hardness is 1 minus this."""
    never_solved: Interval | None
    """Share of tasks that no entry ever solved: hard, or broken."""
    always_solved: Interval | None
    pass_curves: list[PassCurve] = Field(default_factory=list)
    items: list[ItemRow] = Field(default_factory=list)
    abilities: list[AbilityRow] = Field(default_factory=list)
    separability: Interval | None
    """Share of pairs told apart."""
    separability_tasks: int = 0
    signal_to_noise: Interval | None = None
    pairs: list[ModelPair] = Field(default_factory=list)
    harness_changes: list[HarnessChange] = Field(default_factory=list)
    harness_swaps: list[HarnessSwap] = Field(default_factory=list)
    diversity: DiversityReport = DiversityReport()
    subset: SubsetReport | None = None
    contamination: list[ContaminationRow] = Field(default_factory=list)
    not_compared: list[str] = Field(default_factory=list)
    """Splits whose text could not be read, and why."""
    related: list[RelatedBenchmark] = Field(default_factory=list)
    """From the newest reports of the other benchmarks."""

    @property
    def task_rates(self) -> dict[str, float]:
        """Mean pass rate by task."""
        return {item.task: item.pass_rate for item in self.items}

    @property
    def flagged(self) -> list[ItemRow]:
        """Tasks that better entries fail more often, the most certain first."""
        found = [item for item in self.items if item.flag]
        return sorted(found, key=lambda item: (item.flag, item.correlation.value if item.correlation else 0, item.task))

    @property
    def trust_level(self) -> TrustLevel:
        """Trust level of the least trustworthy verifier."""
        worst = (TrustLevel.UNAUDITED, TrustLevel.WEAK)
        return next((one for one in worst if any(e.trust_level is one for e in self.environments)), TrustLevel.MEASURED)
