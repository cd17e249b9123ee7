"""The stored rollouts of a run, judged again by another verifier: what changed, paired by task."""

from pydantic import Field

from schemas.base import WireModel
from schemas.measures.intervals import Interval


class RescoredRollout(WireModel):
    """A rollout whose verdict as a whole changed. ``True`` = accepted, ``None`` = not judged."""

    rollout: int | None
    """The hub's number of the rollout; None for a run that is in a folder."""
    step: int
    phase: str
    package: str
    task_id: str
    before: bool | None
    after: bool | None
    rewards_before: dict[str, float | None]
    rewards_after: dict[str, float | None]
    response: str


class Shift(WireModel):
    """A mean before and after, over the rollouts that both judged, and its change.

    All three are means over tasks: the rollouts of one task count once together. ``change`` has a 95 % interval over
    tasks (``schemas.measures.intervals.paired_interval``).
    """

    before: float
    after: float
    change: Interval
    rollouts: int
    tasks: int


class RescoredSteps(WireModel):
    """The share of accepted rollouts in a part of the run: steps ``first`` to ``last`` of a phase."""

    phase: str
    first: int
    last: int
    accepted: Shift


class Rescore(WireModel):
    """Verdicts of a run beside those of ``verifier`` on the same responses."""

    run: str
    verifier: str
    """``owner/name@version``, or a folder."""
    digest: str
    rollouts: int
    judged: int
    """By both, as a whole."""
    without_task: int = 0
    """Rollouts whose task is in no split of the pinned release. They are left out."""
    of_sessions: int = 0
    """Rollouts of environments with a session. A run does not store its state, so they are left out."""
    not_judged: int = 0
    """Rollouts that the new verifier could not judge."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """Why not, each with how often, the most frequent first: the kind of error and the last line of its message."""
    counts: dict[str, int]
    """``accepted/rejected``: accepted in the run, rejected now; ``null`` = not judged."""
    accepted: Shift | None
    """The share of accepted rollouts. None where nothing was judged by both."""
    rewards: dict[str, Shift]
    """Rewards that both verifiers declare, by name."""
    steps: list[RescoredSteps]
    """Training is cut into three equal parts of its steps, every other phase is one part."""
    changed: list[RescoredRollout]
    """Every rollout whose verdict changed, in the run's order."""
