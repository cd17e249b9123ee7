"""Training and evaluation runs: what was pinned, its metrics, its rollouts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from schemas.base import WireModel
from schemas.manifest import RewardDeclaration
from schemas.titles import Line


class RunState(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    """Ended by its owner, with Ctrl-C; it can be resumed."""


class RunSort(StrEnum):
    """In which order runs are listed."""

    NEWEST = "newest"
    REWARD = "reward"
    """Highest last reward first; runs without one are left out."""


@dataclass(frozen=True)
class RunFilter:
    """Which runs are wanted: those that fit everything that is given."""

    owner: str | None = None
    package: str | None = None
    """``owner/name`` of a package that was used."""
    model: str | None = None
    """The model's whole name."""
    kind: str | None = None
    """``training``, ``evaluation``, or what else a sender calls it."""
    state: RunState | None = None


class PinnedPackage(WireModel):
    """What a run used: an exact version and the digest of its bytes."""

    package: str
    version: str
    digest: str
    image_digest: str = ""


SHOWN_FIRST = "shown_first"
"""Key in a run's ``config``: the names of the settings that its page shows first, the others folded."""


class RunCreate(WireModel):
    """Start a run. ``config`` is the flat settings table that the run page shows.

    A list of names in it under ``shown_first`` says which of them the page shows first, the others folded.
    """

    name: Line = Field(min_length=1, max_length=120)
    kind: Line = "training"
    """``training`` or ``evaluation``."""
    model: Line = Field("", max_length=1000)
    recipe: Line = ""
    packages: list[PinnedPackage] = Field(default_factory=list)
    rewards: dict[str, RewardDeclaration] = Field(default_factory=dict)
    config: dict[str, Any] = Field(default_factory=dict)
    is_private: bool = False
    """Whether only its owner sees it. Always so where it uses a private package."""


class RunOutcome(WireModel):
    """Outcome of an evaluation's attempts in one environment under one harness."""

    environment: str = Field(max_length=200)
    version: str = Field(max_length=100)
    digest: str = Field("", max_length=100)
    harness: str = Field(max_length=300)
    task_count: int = Field(ge=0)
    attempts: int = Field(ge=0)
    """Judged attempts. The others are counted in the fields below."""
    successes: int = Field(ge=0)
    pass_rate: float | None = Field(default=None, ge=0, le=1)
    """Mean over tasks."""
    tries: float = Field(default=0.0, ge=0)
    """How many independent tries the attempts are worth (see ``schemas.measures.corrected.Observed``)."""
    failed: int = Field(default=0, ge=0)
    """Attempts in which the harness failed."""
    unjudged: int = Field(default=0, ge=0)
    """Attempts that the verifier could not judge."""
    overflowed: int = Field(default=0, ge=0)
    """Attempts that ended because the conversation no longer fitted into the model's context.

    They were judged as they stood.
    """
    truncated: int = Field(default=0, ge=0)
    """Attempts with an answer that was cut off at the limit of tokens."""
    played_again: int | None = Field(default=None, ge=0)
    """Attempts that lost a process, box, engine or hub on the way and were played again. Many show an environment that
    some answers end. Null where there were none: hubs of version 0.9 do not know it."""


class RunUpdate(WireModel):
    """Change a run's state; ``summary`` holds before/after figures (see :class:`RewardChange`)."""

    state: RunState | None = None
    summary: dict[str, "RewardChange"] | None = None
    outcomes: list[RunOutcome] | None = Field(default=None, max_length=200)
    note: str | None = None


class RewardChange(WireModel):
    """One reward on the held-out split before and after training: means with 95 % intervals over tasks."""

    before: float
    before_low: float
    before_high: float
    after: float
    after_low: float
    after_high: float
    tasks: int


class MetricPoint(WireModel):
    """Metrics of one optimizer step, under TRL's names (``reward``, ``rewards/{name}/mean``, ``entropy``…)."""

    step: int = Field(ge=0)
    at: datetime | None = None
    values: dict[str, float | None]


class RolloutRow(WireModel):
    """One sampled response with its vector verdict."""

    id: int | None = None
    """The hub's number of the rollout. A value that a client sends is ignored."""
    step: int
    phase: str = "train"
    """``train``, ``eval_before`` or ``eval_after`` (or any harness's name in an evaluation)."""
    package: str = ""
    task_id: str
    prompt: str = ""
    response: str
    rewards: dict[str, float | None]
    held_out: dict[str, float | None] = Field(default_factory=dict)
    """The held-out verifier's rewards for it; empty without a held-out verifier."""
    error: str = ""
    advantage: float | None = None
    tokens: int | None = None


class Run(WireModel):
    """A run as the hub keeps it."""

    id: str
    name: str
    owner: str
    kind: str
    state: RunState
    model: str
    recipe: str
    packages: list[PinnedPackage]
    rewards: dict[str, RewardDeclaration]
    config: dict[str, Any]
    summary: dict[str, RewardChange]
    note: str = ""
    created_at: datetime
    updated_at: datetime
    last_step: int | None = None
    last_reward: float | None = None
    """The weighted reward of the newest step that has one. It compares only runs on the same packages."""
    outcomes: list[RunOutcome] = Field(default_factory=list)
    is_private: bool = False


class Metrics(WireModel):
    """All points of a run, by step."""

    items: list[MetricPoint]


class RolloutBatch(WireModel):
    """Rollouts to append to a run, at most 2000 at once."""

    items: list[RolloutRow]


class Logged(WireModel):
    """How many rows were written."""

    count: int
