"""Results on a benchmark, and what they say about models and about the benchmark itself."""

from datetime import datetime

from pydantic import Field

from schemas.base import WireModel
from schemas.names import PackageId, VersionText


class Interval(WireModel):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


class TaskOutcome(WireModel):
    """How often a model solved a task. No attempt = no row: never a zero."""

    task_id: str = Field(min_length=1, max_length=200)
    attempts: int = Field(default=1, ge=1, le=100_000)
    successes: int = Field(ge=0, le=100_000)


class ResultsCreate(WireModel):
    """What one model did in one environment of a benchmark, under one harness."""

    environment: PackageId
    environment_version: VersionText
    model: str = Field(min_length=1, max_length=200)
    harness: str = Field(default="single-turn", min_length=1, max_length=200)
    run_id: str | None = None
    outcomes: list[TaskOutcome] = Field(min_length=1, max_length=20_000)
    failed: int = Field(default=0, ge=0, le=10_000_000)
    """Attempts that broke in the harness; they are in no outcome."""
    unjudged: int = Field(default=0, ge=0, le=10_000_000)
    """Attempts that the verifier could not judge; they are in no outcome."""


class BenchmarkResults(WireModel):
    """A submission as the hub keeps it. The same account's newer one for the same place replaces it."""

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


class ModelPair(WireModel):
    """Two entries of the leaderboard, on the tasks that all attempted. ``is_separated``: the interval excludes zero."""

    first: str
    second: str
    difference: Interval
    is_separated: bool


class HarnessChange(WireModel):
    """One model under two harnesses on the same tasks: second minus first."""

    model: str
    first: str
    second: str
    difference: Interval
    p_value: float
    task_count: int


class BenchmarkReport(WireModel):
    """What a benchmark's results say. A field is null while there is too little to say it from."""

    benchmark: PackageId
    version: VersionText
    computed_at: datetime
    leaderboard: list[LeaderboardRow]
    task_count: int
    pass_rate: Interval | None
    """Mean over tasks of the mean over models; hardness is 1 minus this."""
    never_solved: float | None
    """Share of tasks that no entry ever solved: hard, or broken."""
    always_solved: float | None
    separability: float | None
    """Share of pairs told apart."""
    separability_tasks: int = 0
    pairs: list[ModelPair] = Field(default_factory=list)
    diversity: float | None = None
    """The effective number of different tasks by their text (Vendi score)."""
    diversity_tasks: int = 0
    """How many tasks that was measured on."""
    duplicates: int = 0
    """Pairs of tasks with nearly the same text."""
    harness_changes: list[HarnessChange] = Field(default_factory=list)
    suspicious_tasks: list[str] = Field(default_factory=list)
    """Tasks that better models fail more: broken, mis-scored, or contaminated."""
    task_rates: dict[str, float] = Field(default_factory=dict)
